/**
 * The executable as its users have it: started in folders that know nothing of the source, driven
 * over real sockets and stopped.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fillFolder, hostname } from "../bench/folder.ts";
import { licensedParts } from "../src/cli/license-texts.ts";
import { useFolder } from "./support/folder.ts";
import { longTest } from "./support/long-test.ts";
import { useExecutable } from "./support/executable.ts";
import { account, accountEnvironment, browser, runToEnd, ServerProcess } from "./support/server.ts";
import { SmtpServer } from "./support/smtp-server.ts";
import { until } from "./support/until.ts";

const servers: ServerProcess[] = [];
afterAll(() => Promise.all(servers.map((server) => server.end("SIGKILL"))));
const top = useFolder();
const executable = [useExecutable()];

let folders = 0;
function newFolder(): string {
  const folder = join(top, `folder-${++folders}`);
  mkdirSync(folder);
  return folder;
}

async function start(
  ...args: Parameters<typeof ServerProcess.start> extends [unknown, ...infer Rest] ? Rest : never
) {
  const server = await ServerProcess.start(executable, ...args);
  servers.push(server);
  return server;
}

describe("the executable", () => {
  test("serves from an empty folder, and stops with 0 within five seconds", async () => {
    const folder = newFolder();
    const server = await start(folder);
    await server.logIn();
    expect((await server.post("/websites", { hostname: "example.com" })).status).toBe(201);
    const hit = await server.hit("https://example.com/hello?utm_source=news", "b1");
    expect(await hit.json()).toEqual({ accepted: true });
    expect(hit.headers.get("x-api-commit")).toMatch(/^[0-9a-f]{40}$|^development$/);
    expect(await server.rows("example.com", "pages")).toMatchObject([
      { path: "/hello", pageviews: 1, visitors: 1 },
    ]);
    expect(await server.rows("example.com", "browsers")).toMatchObject([{ browser: "Firefox", visitors: 1 }]);
    const startMs = performance.now();
    expect(await server.end("SIGTERM")).toBe(0);
    // Docker kills a container after so long.
    expect(performance.now() - startMs).toBeLessThan(10_000);

    const again = await start(folder);
    again.cookie = server.cookie;
    expect(await again.rows("example.com", "sources")).toMatchObject([{ source: "news", visitors: 1 }]);
    expect(await again.end("SIGINT")).toBe(0);
  });

  longTest(
    "answers about a large website from its Worker, and with nothing of it left to read the second time",
    async () => {
      const folder = newFolder();
      await fillFolder(join(folder, "snapshots"), 1, 310_000);
      const server = await start(folder);
      await server.logIn();
      const ask = async () => {
        const answer = await server.get(`/website/${hostname}/devices`);
        const [, read] = /"(\d+) rows read/.exec(answer.headers.get("server-timing") ?? "") ?? [];
        return { rows: (await answer.json()) as { visitors: number }[], read: Number(read) };
      };
      const first = await ask();
      expect(first.rows.reduce((sum, { visitors }) => sum + visitors, 0)).toBeGreaterThan(100_000);
      // Until the facts of the eleven months that are over are there, their rows are read; the last month takes hits still.
      let again = first;
      await until(async () => (again = await ask()).read < 30_000, "the answers come from facts");
      expect(again.rows).toEqual(first.rows);
      const directory = join(folder, "snapshots", "chunks", "1");
      expect(readdirSync(directory).filter((name) => name.endsWith(".facts")).length).toBeGreaterThan(10);
      expect(await server.end("SIGTERM")).toBe(0);
    },
  );

  test("sends a mail", async () => {
    const smtp = await SmtpServer.open();
    const env = { ...accountEnvironment, FOOTFALL_SMTP: `smtp://127.0.0.1:${smtp.port}` };
    const server = await start(
      newFolder(),
      ["--url", "https://stats.example.org", "--mail-from", "stats@example.org"],
      env,
    );
    await server.logIn();
    await server.post("/websites", { hostname: "example.com" });
    const asked = { kind: "weekly", email: "reader@example.org", time_zone: "UTC" };
    expect((await server.post("/website/example.com/reports", asked)).status).toBe(201);
    await until(() => smtp.mails.length > 0, "the question to confirm is there");
    expect(smtp.mails).toMatchObject([{ to: "reader@example.org" }]);
    await smtp.close();
  });

  test("stops in time though a client holds a stream open", async () => {
    const server = await start(newFolder());
    await server.logIn();
    await server.post("/websites", { hostname: "example.com" });
    const live = await server.get("/website/example.com/live");
    expect(live.headers.get("content-type")).toStartWith("text/event-stream");
    const startMs = performance.now();
    expect(await server.end("SIGTERM")).toBe(0);
    // Docker kills a container after so long.
    expect(performance.now() - startMs).toBeLessThan(10_000);
    await live.body?.cancel().catch(() => {});
  });

  /** Sends the head of a hit and the first byte of its body, and then the first signal. */
  async function stopWithin(server: ServerProcess, hit: string) {
    const whole = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    const lines = ["POST /event/hit HTTP/1.1", "host: localhost", `user-agent: ${browser}`];
    const begun = [...lines, `content-length: ${hit.length}`, "", hit.slice(0, 1)].join("\r\n");
    let received = "";
    const socket = {
      data: (_: unknown, bytes: Uint8Array) => void (received += Buffer.from(bytes).toString()),
    };
    const client = await Bun.connect({ hostname: "127.0.0.1", port: server.port, socket });
    // Once the request is answered, everything that came with it is there.
    client.write(whole + begun);
    await until(() => received.includes("200 OK"), "the first request is answered");
    process.kill(server.pid, "SIGTERM");
    const refused = () =>
      fetch(server.url("/healthz"), { headers: { connection: "close" } }).then(
        () => false,
        () => true,
      );
    await until(refused, "the server is stopping");
    return { client, received: () => received };
  }

  test("finishes what is in flight at the first signal, and saves it in a checkpoint", async () => {
    const folder = newFolder();
    const server = await start(folder);
    await server.logIn();
    await server.post("/websites", { hostname: "example.com" });
    const hit = JSON.stringify({ b: "late", u: "https://example.com/late", p: true });
    const { client, received } = await stopWithin(server, hit);
    client.write(hit.slice(1));
    await until(() => received().includes('{"accepted":true}'), "the hit is answered");
    expect(await server.end("SIGCONT")).toBe(0);
    const data = join(folder, "snapshots");
    const numbers = (directory: string, pattern: RegExp) =>
      readdirSync(directory).flatMap((name) => (pattern.test(name) ? [Number.parseInt(name)] : []));
    // The log has no more than the records of the checkpoint itself and of the stop.
    expect(Math.max(...numbers(join(data, "wal"), /\.wal$/))).toBe(
      Math.max(...numbers(data, /\.manifest$/)) + 1,
    );
    const again = await start(folder);
    again.cookie = server.cookie;
    expect(await again.rows("example.com", "pages")).toMatchObject([{ path: "/late", pageviews: 1 }]);
    expect(await again.end("SIGTERM")).toBe(0);
  });

  test("ends at once with 1 after a second signal, whatever is in flight", async () => {
    const server = await start(newFolder());
    const { client } = await stopWithin(server, "{}");
    expect(await server.end("SIGTERM")).toBe(1);
    client.end();
  });

  test("goes on under nohup when its terminal is closed, and ends without", async () => {
    const server = await start(newFolder());
    expect(await server.end("SIGHUP")).toBe(129);
    const kept = await ServerProcess.start(["nohup", ...executable], newFolder());
    servers.push(kept);
    process.kill(kept.pid, "SIGHUP");
    expect((await kept.get("/healthz")).status).toBe(200);
    expect(await kept.end("SIGTERM")).toBe(0);
  });

  test("without an account prints a link that makes the first one, once", async () => {
    const server = await start(newFolder(), [], {});
    const [, token] = /http:\/\/localhost:\d+\/#setup=(\S+)/.exec(server.greeting) ?? [];
    expect((await server.post("/setup", { ...account, token: "wrong" })).status).toBe(401);
    expect((await server.post("/setup", { ...account, token })).status).toBe(201);
    expect((await server.post("/setup", { ...account, token })).status).toBe(409);
    await server.logIn();
    expect((await server.get("/user")).status).toBe(200);
  });

  test("takes the first account from its settings, which a later start ignores, also a file that is gone", async () => {
    const folder = newFolder();
    const path = join(folder, "password");
    writeFileSync(path, account.password);
    const named = { FOOTFALL_ADMIN_USERNAME: account.username };
    const withFile = { ...named, FOOTFALL_ADMIN_PASSWORD_FILE: path };
    const first = await start(folder, [], withFile);
    await first.logIn();
    await first.end("SIGTERM");
    rmSync(path);
    for (const env of [withFile, named]) {
      const later = await start(folder, [], env);
      await later.logIn();
      expect(await later.end("SIGTERM")).toBe(0);
    }
    // While there is no account, half of one is refused.
    const half = await runToEnd(executable, newFolder(), ["--port", "0", "--admin-username", "ada"]);
    expect(half).toMatchObject({
      exitCode: 2,
      errors: expect.stringContaining("is missing beside the name"),
    });
  });

  test("prints its links at the public address, if it is told", async () => {
    const folder = newFolder();
    const args = ["--url", "https://stats.example.com/f/", "--base", "/f"];
    const first = await start(folder, args, {});
    expect(first.greeting).toMatch(/^ {2}https:\/\/stats\.example\.com\/f\/#setup=\S+$/m);
    await first.end("SIGTERM");
    expect((await start(folder, args)).greeting).toMatch(
      /^ {2}Dashboard: https:\/\/stats\.example\.com\/f\/$/m,
    );
  });
});

describe("what it cannot do ends with one line and exit code 2", () => {
  const lines = (text: string) =>
    text
      .trimEnd()
      .split("\n")
      .filter((line) => !line.startsWith("{"));

  async function refused(...args: string[]): Promise<string> {
    const { exitCode, output, errors } = await runToEnd(executable, newFolder(), args);
    expect({ exitCode, output }).toEqual({ exitCode: 2, output: "" });
    expect(lines(errors)).toHaveLength(1);
    return errors;
  }

  test("but a text whose reader has read enough ends without a line", async () => {
    const script = `"${executable[0]}" licenses | head -1; echo "\${PIPESTATUS[0]}"`;
    const child = Bun.spawn(["bash", "-c", script], { cwd: newFolder(), stdio: ["ignore", "pipe", "pipe"] });
    const [printed, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    expect(printed).toMatch(/^Footfall .*\n2\n$/);
    expect(errors).toBe("");
  });

  test("an unknown flag, an unknown command and a bad value", async () => {
    expect(await refused("--prot", "1")).toContain('unknown flag "--prot"');
    expect(await refused("dance")).toContain('unknown command "dance"');
    expect(await refused("--port", "http")).toContain("--port: expected a number from 0 to 65535");
  });

  test("a port that is taken", async () => {
    const server = await start(newFolder());
    const message = await refused("--host", "127.0.0.1", "--port", String(server.port));
    expect(message).toContain("the port is taken");
  });

  test("a folder that another server holds", async () => {
    const folder = newFolder();
    const server = await start(folder);
    const message = await refused("--port", "0", "--data", join(folder, "snapshots"));
    expect(message).toContain(`in use by the process ${server.pid}`);
    expect(message).toContain("A server that is starting takes commands once it listens");
  });

  test("a folder that cannot be made", async () => {
    expect(await refused("--data", join(executable[0] as string, "data"))).toContain("ENOTDIR");
  });
});

describe("commands", () => {
  const args = ["--data", "snapshots"];

  test("print the licences of all that it contains, far from the packages", async () => {
    const { exitCode, output } = await runToEnd(executable, newFolder(), ["licenses"]);
    const texts = licensedParts().map(({ text }) => text);
    expect({ exitCode, lacking: texts.filter((text) => !output.includes(text)) }).toEqual({
      exitCode: 0,
      lacking: [],
    });
  });

  test("work through the socket of the running server, which only its owner may open", async () => {
    const folder = newFolder();
    const server = await start(folder);
    expect(statSync(join(folder, "snapshots", "control.sock")).mode & 0o777).toBe(0o600);
    const run = (words: string, input = "") =>
      runToEnd(executable, folder, [...words.split(" "), ...args], input);
    expect(await run("website add example.com")).toEqual({
      exitCode: 0,
      output: "added example.com to ada\n",
      errors: "",
    });
    expect((await run("website add example.com")).errors).toContain("taken");
    expect((await run("user add grace", "another password\n")).exitCode).toBe(0);
    expect((await run("website add example.org --user grace")).exitCode).toBe(0);
    expect((await run("website list")).output).toBe("example.com\tada\nexample.org\tgrace\n");
    expect((await run("user password ada", "a new password\n")).exitCode).toBe(0);
    expect((await server.post("/auth/login", account)).status).toBe(401);
    expect((await server.post("/auth/login", { ...account, password: "a new password" })).status).toBe(200);
    const refusal = await run("user add bob", "short\n");
    expect(refusal).toMatchObject({ exitCode: 2, output: "" });
    expect(refusal.errors).not.toContain("short");
  });

  test("take a folder however its path is written, as a server does", async () => {
    const folder = newFolder();
    for (const [at, spelling] of ["stats/", "./stats", join(folder, "stats//")].entries()) {
      const data = ["--data", spelling];
      const run = (words: string, input = "") =>
        runToEnd(executable, folder, [...words.split(" "), ...data], input);
      expect(await run(`user add ada${at}`, `${account.password}\n`)).toMatchObject({ exitCode: 0 });
      const server = await start(folder, data, {});
      expect((await run(`website add ${at}.example --user ada${at}`)).exitCode).toBe(0);
      expect(await (await server.hit(`https://${at}.example/`, `b${at}`)).json()).toEqual({ accepted: true });
      expect(await server.end("SIGTERM")).toBe(0);
      expect(await run("check")).toMatchObject({ exitCode: 0 });
    }
  });

  test("open the folder themselves when no server does, also after one was killed", async () => {
    const folder = newFolder();
    const run = (words: string, input = "") =>
      runToEnd(executable, folder, [...words.split(" "), ...args], input);
    expect((await run("website add example.com")).errors).toContain(
      "begin one with 'footfall user add NAME --data snapshots'",
    );
    expect((await run("user add ada", "short\n")).errors).toContain("password: expected 8 to 128 characters");
    expect((await run("user add a", `${account.password}\n`)).errors).toContain("username: expected 3 to 48");
    expect(readdirSync(folder)).toEqual([]);
    expect((await run("user add ada", `${account.password}\n`)).exitCode).toBe(0);
    const server = await start(folder);
    await server.end("SIGKILL");
    expect((await run("website add example.com")).exitCode).toBe(0);
    expect((await run("website list")).output).toBe("example.com\tada\n");
  });

  test("import a log while the server runs", async () => {
    const folder = newFolder();
    const server = await start(folder);
    await server.logIn();
    await server.post("/websites", { hostname: "example.com" });
    const agent = '"Mozilla/5.0 (X11; Linux x86_64; rv:30.0) Gecko/20100101 Firefox/30.0"';
    const line = `203.0.113.7 - - [17/May/2015:10:05:03 +0000] "GET /old HTTP/1.1" 200 1 "-" ${agent}\n`;
    const command = ["import", "example.com", "-", "--yes"];
    const first = await runToEnd(executable, folder, command, line.repeat(3));
    expect(first).toMatchObject({ exitCode: 0, errors: "" });
    expect(first.output).toContain("3 taken as page views of example.com");
    expect((await runToEnd(executable, folder, command, line.repeat(4))).output).toContain("1 taken");
    expect(await server.rows("example.com", "pages")).toMatchObject([
      { path: "/old", pageviews: 4, visitors: 1 },
    ]);
  });
});
