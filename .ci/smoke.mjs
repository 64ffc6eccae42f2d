// Starts the executable in an empty folder, sends a hit and reads it back, asks for all that it carries, stops it.
// Needs nothing but Node.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const executable = resolve(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), "footfall-smoke-"));
const account = { username: "smoke", password: "smoke and mirrors" };
const child = spawn(executable, ["--host", "127.0.0.1", "--port", "0"], {
  cwd: folder,
  env: { FOOTFALL_ADMIN_USERNAME: account.username, FOOTFALL_ADMIN_PASSWORD: account.password },
  stdio: ["ignore", "pipe", "inherit"],
});
const exited = new Promise((done) => child.on("exit", (code, signal) => done(signal ?? code)));
const deadline = setTimeout(() => child.kill("SIGKILL"), 30_000);

try {
  await visit(await listening());
  child.kill("SIGTERM");
  expect("exit code", await exited, 0);
  console.log(
    "the executable: a hit was sent and read back; the dashboard, its map and the tracker are in it",
  );
} finally {
  clearTimeout(deadline);
  if (child.exitCode === null) child.kill("SIGKILL");
  await exited;
  rmSync(folder, { recursive: true });
}

async function listening() {
  let output = "";
  for await (const chunk of child.stdout) {
    output += chunk;
    const [, port] = /http:\/\/\S+?:(\d+)/.exec(output) ?? [];
    if (port !== undefined) return `http://127.0.0.1:${port}`;
  }
  throw new Error(`the executable ended before it listened: ${output}`);
}

async function visit(base) {
  const login = await post(`${base}/auth/login`, account);
  expect("login", login.status, 200);
  const cookie = login.headers.get("set-cookie").split(";")[0];
  expect("website", (await post(`${base}/websites`, { hostname: "example.com" }, { cookie })).status, 201);
  const hit = { b: "smoke", u: "https://example.com/hello", p: true, q: false };
  const agent = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" };
  expect("hit", await (await post(`${base}/event/hit`, hit, agent)).json(), { accepted: true });
  const pages = await (await fetch(`${base}/website/example.com/pages`, { headers: { cookie } })).json();
  expect(
    "pages",
    pages.map(({ path, pageviews }) => ({ path, pageviews })),
    [{ path: "/hello", pageviews: 1 }],
  );
  const dashboard = await text(`${base}/`);
  expect("dashboard", [dashboard.includes('<div id="app">'), dashboard.length > 50_000], [true, true]);
  expect("tracker", (await text(`${base}/script.js`)).includes("keepalive"), true);
  expect("outlines", "Germany" in JSON.parse(await text(`${base}/dashboard/world.json`)).countries, true);
}

async function text(url) {
  const answer = await fetch(url);
  expect(url, answer.status, 200);
  return answer.text();
}

function post(url, body, headers = {}) {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

function expect(what, got, wanted) {
  if (JSON.stringify(got) === JSON.stringify(wanted)) return;
  throw new Error(`${what}: expected ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`);
}
