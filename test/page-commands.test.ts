/**
 * That the commands of the README and of docs/ work: each is run as it stands there, in the order of its page, beside a
 * server of the executable and with files such as the page speaks of. `words` has all that is put in for what a reader
 * puts in; what cannot be run is a row of `notRun`.
 */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { ga4Csv, ga4Events } from "./support/ga4-export.ts";
import { useExecutable } from "./support/executable.ts";
import { withFolder } from "./support/folder.ts";
import { zipOf } from "./support/made-zip.ts";
import {
  goatCounterCsv,
  madeLogs,
  madeUpViews,
  medamaCsv,
  umamiCsv,
  umamiEventData,
  umamiOfMySql,
  userAgent,
} from "./support/made-up-people.ts";
import { isThere, nameWith } from "./support/needs.ts";
import { matomoAnswers } from "./support/matomo-visits.ts";
import { commandsOf, shownCommands, type ShownCommand } from "./support/page-commands.ts";
import { plausibleZip } from "./support/plausible-export.ts";
import { someOf } from "./support/rounds.ts";
import { startS3 } from "./support/s3-server.ts";
import { randomBySeed } from "./support/seed.ts";
import { selfSigned } from "./support/self-signed.ts";
import { account, ServerProcess } from "./support/server.ts";

const root = join(import.meta.dir, "..");

/** Pages whose commands another test runs: it compares their answers, or has several machines. */
const elsewhere: Readonly<Record<string, string>> = {
  "docs/api.md": "test/api-page.test.ts",
  "docs/cluster.md": "test/cluster/setting-up.test.ts",
  "docs/tokens.md": "test/tokens-page.test.ts",
};

/** Commands that are not run here, on any page or on one: why, and what is run in their place. */
const notRun: readonly (readonly [RegExp, string, page?: string])[] = [
  [/^curl -s /, "is the example: test/readme.test.ts runs it and compares its answers", "README.md"],
  [
    /^npm start/,
    "has its data in this checkout, and is slow: test/readme.test.ts starts a clone, also with --data",
  ],
  [/^npm run build$/, "made the executable that is run here (test/support/executable.ts)"],
  [
    /^npm run build -- --all/,
    "fetches runtimes of six other systems: test/executable.test.ts has this one's",
  ],
  [/^npx /, "installs the package bun: test/package.test.ts has it already, and starts the same program"],
  [/^caddy /, "asks an authority for a certificate: test/proxies.test.ts gives Caddy one"],
  [
    /^(SITE=\S+ COMMIT=\$\(.*\) )?docker (?!.* footfall (backup -|restore -|import ))/,
    "needs a daemon: test/deploy.test.ts has compose read its file",
  ],
  [/^(systemctl|journalctl) /, "needs systemd to run: test/deploy.test.ts has it verify the unit"],
  [/^bq /, "needs an account of Google's: test/cli/import/ga4.test.ts imports what it would write"],
  [/^day=.*; until /, "needs a Matomo: what it answers is in the folder"],
  [/^(psql|mysql|duckdb) /, "needs a database: test/cli/import/printed-queries.test.ts has some"],
  [/^footfall repair /, "needs a damaged folder: test/cli/repair.test.ts"],
  [/^footfall website add-member /, "needs a second account: test/cli/control.test.ts has one"],
  [/^footfall user remove-second-factor /, "needs an account that has one: test/cli/second-factor.test.ts"],
];

/** The words that stand for something of the reader's, and what a test has for each in its folder. */
const words: readonly (readonly [RegExp, (folder: string) => string])[] = [
  [/(?<=xz -dc .*)HOST/, () => "new.example"],
  [/\bHOST\b/, () => "example.com"],
  [/\bOTHER\b/, () => "new.example"],
  [/\bNAME\b/, () => "grace"],
  [/\bFILE\.\.\./, () => "access.log"],
  [/(?<=check --data )NEW/, () => "snapshots"],
  [/\bFILE(?= --data)/, (folder) => `${folder}/backups/before.tar`],
  [/example\.com(?= --no-visits)/, () => "plain.example"],
  // A container has the executable, and its data where the image says.
  [/^docker .* footfall (?=footfall backup -)/, () => ""],
  [/^docker run .* (?=footfall restore -)/, (folder) => `FOOTFALL_DATA=${folder}/volume `],
  [/^docker run .* (?=footfall import )/, () => ""],
  [/\/in\/FILE/, () => "access.log"],
  [/^15 3 \* \* \* root /, () => "env PATH=/bin:/usr/bin "],
  [/\S+\/…\/….backup/, (folder) => `"$(find ${folder}/backups/footfall -name '*.backup')"`],
  [/--port 443/, () => ""],
  [/(?<=[ =])(?=\/(?:backups|srv|etc|var|usr)\/)/g, (folder) => folder],
];

/** Commands whose output is looked at; all others need only end with 0. */
const answers: readonly (readonly [RegExp, RegExp])[] = [
  [/footfall import /, /^ *[1-9]\d* taken as /m],
  [/footfall import .* npm\.log$/, /^ *3 taken as /m],
  [/footfall import \S+ goatcounter\.jsonl$/, /^ *12 taken as page views .*\n *3 taken as events$/m],
  [
    /footfall import \S+ umami\.jsonl event_data\.jsonl$/,
    /^ *[1-9]\d* taken as events, with [1-9]\d* values$/m,
  ],
  [/footfall import .*--dry-run/, /nothing was imported$/m],
  [/^footfall stats \S+$/, /^Page views +2$/m],
  [/^footfall stats \S+ pages --period 7d$/, /^\/pricing +1 /m],
  [/^footfall stats .* --json/, /^ +"id": 1,$/m],
  [/^footfall restore .*--list/, /\.backup$/m],
  [/footfall backup/, /^backed up /m],
  [/footfall restore -/, /^restored .* to \S+\/volume, /m],
  [/^footfall website purge .*--imported-sums/, /^2 months of imported sums with 109 page views/m],
  [/^footfall website purge .*--filter/, /^1 page view\b/m],
  [/^curl --unix-socket/, /^footfall_hits_total\{outcome="accepted"\} /m],
];

/** GoatCounter's JSON export, as its source and help have it, all in a folder: twelve page views and three events. */
const goatCounterJson = inFolder("goatcounter-export-code-20261101T100000Z", {
  "paths.jsonl": `{"id": 211, "path": "/"}
{"id": 215, "path": "/caf\u00e9?x=1", "title": "Caf\u00e9"}
{"id": 216, "event": true, "path": "click-banana"}
`,
  "refs.jsonl": `{"id": 1, "ref": "", "ref_scheme": "o"}
{"id": 2, "ref": "example.org/page.html", "ref_scheme": "h"}
{"id": 3, "ref": "june-letter", "ref_scheme": "c"}
`,
  "hit_stats.jsonl": `{"hour": "2026-03-05T19:00:00Z", "path_id": 211, "ref_id": 1, "count": 4}
{"hour": "2026-03-05T19:00:00Z", "path_id": 215, "ref_id": 2, "count": 3}
{"hour": "2026-03-07T15:00:00Z", "path_id": 216, "ref_id": 1, "count": 3}
{"hour": "2026-03-07T16:00:00Z", "path_id": 211, "ref_id": 3, "count": 5}
`,
});

function inFolder(folder: string, files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));
}

/** Writes the files that pages name, each of time that no other has. */
function writeFiles(folder: string): void {
  const views = madeUpViews(randomBySeed());
  const later = (days: number) => views.map((view) => ({ ...view, timeMs: view.timeMs + days * 86_400_000 }));
  const log = (madeLogs["combined"] as (of: typeof views) => string)(views).split(/(?<=\n)/);
  const part = (from: number, to?: number) => log.slice(from, to).join("");
  const files: Readonly<Record<string, string | Uint8Array>> = {
    "access.log.2.gz": Bun.gzipSync(part(0, 30)),
    "access.log.1": part(30, 60),
    "access.log": part(60),
    "goatcounter-export.csv.gz": Bun.gzipSync(goatCounterCsv(later(245))),
    "goatcounter-export-code-20261101T100000Z.zip": zipOf(goatCounterJson),
    "umami.csv": umamiCsv(later(276)),
    "website_event.csv": umamiCsv(later(304)),
    "event_data.csv": umamiEventData(later(304)),
    "umami.jsonl": umamiOfMySql(later(388)).events,
    "event_data.jsonl": umamiOfMySql(later(388)).data,
    "sorted.csv": umamiCsv(later(416)),
    "medama.csv": medamaCsv(views),
    "ga4.csv": ga4Csv(ga4Events(later(332))),
    "u_ex260501.log": [
      "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port c-ip cs(User-Agent) sc-status",
      `2026-01-01 10:00:00 10.0.0.4 GET /a utm_source="news" 443 203.0.113.7 ${userAgent.replaceAll(" ", "+")} 200\r\n`,
    ].join("\r\n"),
    "alb.log": `https 2026-01-03T10:00:00.186641Z app/lb/5 203.0.113.7:2817 10.0.0.1:80 0 0.1 0 200 200 34 366 "GET https://example.com:443/b HTTP/1.1" "${userAgent}" -\n`,
    "proxy-host-1_access.log": `[05/Jan/2026:12:00:00 +0000] - 200 200 - GET https example.com "/c?utm_source=news" [Client 203.0.113.7] [Length 12] [Gzip -] [Sent-to 10.0.0.5] "${userAgent}" "-"\n`,
    "visits.json": matomoAnswers(later(360)),
    "example_com_20261101.zip": plausibleZip(),
    "sums.zip": zipOf({
      "imported_visitors.csv":
        "date,visitors,pageviews,bounces,visits,visit_duration\n2023-03-01,120,310,60,140,8400\n",
    }),
    "etc/footfall/smtp": "smtps://stats:a%20password@mail.example:465\n",
  };
  for (const name of [
    "etc/systemd/system",
    "usr/local/bin",
    "var/lib",
    "srv",
    "backups/footfall",
    "bin",
    "dist",
  ])
    mkdirSync(join(folder, name), { recursive: true });
  mkdirSync(join(folder, "etc/footfall"));
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  const { cert, key } = selfSigned(join(folder, "tls"));
  symlinkSync(cert, join(folder, "etc/footfall/fullchain.pem"));
  symlinkSync(key, join(folder, "etc/footfall/privkey.pem"));
  symlinkSync(join(root, "deploy"), join(folder, "deploy"));
  symlinkSync(join(folder, "snapshots"), join(folder, "var/lib/footfall"));
  const installed = `#!/bin/sh\nexec ${executable} "$@"\n`;
  writeFileSync(join(folder, "usr/local/bin/footfall"), installed, { mode: 0o755 });
  for (const name of ["bin", "dist"]) symlinkSync(executable, join(folder, name, "footfall"));
  Bun.spawnSync(["xz", "--keep", "access.log"], { cwd: folder });
}

/** Adds what a page speaks of, unless it adds it itself. */
async function addWebsites(server: ServerProcess, commands: readonly ShownCommand[]): Promise<void> {
  await server.logIn();
  const added = async (path: string, body: object) =>
    expect((await server.post(path, body)).status).toBe(201);
  await added("/websites", { hostname: "new.example" });
  if (commands.some(({ text }) => text === "footfall website add example.com")) return;
  await added("/websites", { hostname: "example.com" });
  for (const path of ["/pricing", "/wp-login.php"]) await server.hit(`https://example.com${path}`, path);
  for (const name of ["One", "Two", "Three"])
    await added("/website/example.com/goals", { name, page: { eq: "/pricing" } });
  await added("/website/example.com/funnels", { name: "Checkout", steps: ["page:/pricing", "goal:1"] });
}

/** Starts a server as the command says, until it listens, and ends it. */
async function serves(folder: string, text: string, env: Record<string, string>): Promise<void> {
  const own = join(folder, `server-${Bun.hash(text)}`);
  mkdirSync(own);
  const here = { ...env, FOOTFALL_HOST: "127.0.0.1", FOOTFALL_PORT: "0" };
  const server = await ServerProcess.start(["bash", "-c", `exec ${text}`, "bash"], own, [], here);
  expect(await server.end("SIGTERM")).toBe(0);
}

async function runs(folder: string, text: string, env: Record<string, string>): Promise<string> {
  const stdin = Buffer.from(`${account.password}\n`);
  const child = Bun.spawn(["bash", "-o", "pipefail", "-c", text], {
    cwd: folder,
    env,
    stdin,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors, exitCode] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  if (exitCode !== 0) throw new Error(`${text}\nended with ${exitCode}: ${output}${errors}`);
  return output + errors;
}

const shown = await shownCommands();
const run = [...shown].filter(([page]) => elsewhere[page] === undefined);
const executable = useExecutable();

const missing = (["curl", "jq", "openssl", "unzip", "xz"] as const).find((need) => !isThere(need));
describe.skipIf(missing !== undefined)(nameWith(missing ?? "curl", "the commands that stand"), () => {
  test.each(someOf(run, 1))("in %s", (page, commands) =>
    withFolder(async (folder) => {
      writeFiles(folder);
      const s3 = startS3("bucket");
      const env = {
        PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
        HOME: folder,
        ...Object.fromEntries(s3.environment.map((pair) => pair.split("="))),
      };
      const server = await ServerProcess.start([executable], folder);
      try {
        await addWebsites(server, commands);
        for (const { line, text } of commands) {
          if (notRun.some(([form, , only = page]) => form.test(text) && only === page)) continue;
          const own = words.reduce((left, [form, by]) => left.replace(form, by(folder)), text);
          if (/^footfall +--(?!help|version)/.test(own)) await serves(folder, own, env);
          else {
            const output = await runs(folder, own, env);
            for (const [form, answer] of answers)
              if (form.test(text)) expect(`${page}:${line}\n${output}`).toMatch(answer);
          }
        }
      } finally {
        await server.end("SIGTERM");
        await s3.stop();
      }
    }),
  );
});

test("a command ends where a shell says so, and is also found in a sentence", () => {
  const page =
    "Say `footfall import` or `footfall stats\nHOST --json`.\n```sh\n# first\na 'b\nc' \\\n  d  # last\n\ne\n```\n";
  expect(commandsOf("x.md", page)).toEqual([
    { page: "x.md", line: 1, text: "footfall stats HOST --json" },
    { page: "x.md", line: 5, text: "a 'b\nc' \\\n  d" },
    { page: "x.md", line: 9, text: "e" },
  ]);
  expect(() => commandsOf("x.md", "```sh\na 'b\n```\n")).toThrow("x.md:2: no shell takes a 'b");
});

test("every row of the tables is of a command that stands somewhere", () => {
  const texts = run.flatMap(([, commands]) => commands.map(({ text }) => text));
  const forms = [...notRun, ...words, ...answers].map(([form]) => form);
  expect(forms.filter((form) => !texts.some((text) => text.search(form) >= 0))).toEqual([]);
});

test("the tests that are named in place of this one are there, and read their page", async () => {
  const reasons = notRun.flatMap(([, why]) => why.match(/test\/[\w/.-]+\.ts/g) ?? []);
  expect(reasons.length).toBeGreaterThan(5);
  expect(reasons.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  for (const [page, path] of Object.entries(elsewhere))
    expect(await Bun.file(join(root, path)).text()).toContain(basename(page));
});
