/**
 * The examples of deploy/ for proxies, each in front of a server. Two clients with addresses of their own send hits, on a path
 * of the website itself too; the page, the login, the live stream and an upload of 5 MB go through the proxy.
 */
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { useExecutable } from "./support/executable.ts";
import { withFolder } from "./support/folder.ts";
import { apacheTime } from "./support/made-up-people.ts";
import { isThere, nameWith } from "./support/needs.ts";
import { proxies, RunningProxy, type ProxyName } from "./support/proxies.ts";
import { someOf } from "./support/rounds.ts";
import { account, browser, ServerProcess } from "./support/server.ts";
import { until } from "./support/until.ts";

const executable = [useExecutable()];

/** Somebody who reaches the proxy from an address of loopback, by curl: it can choose where it comes from. */
class Client {
  constructor(
    private readonly address: string,
    private readonly port: number,
  ) {}

  command(host: string, path: string, ...args: readonly string[]): string[] {
    const to = ["--resolve", `${host}:${this.port}:127.0.0.1`, "--interface", this.address];
    return ["curl", "-sSkN", ...to, "-A", browser, ...args, `https://${host}:${this.port}${path}`];
  }

  ask(host: string, path: string, ...args: readonly string[]): string {
    const { success, stdout, stderr } = Bun.spawnSync(this.command(host, path, ...args));
    if (!success) throw new Error(`${host}${path}: ${stderr.toString()}`);
    return stdout.toString();
  }

  status(host: string, path: string, ...args: readonly string[]): string {
    return this.ask(host, path, ...args, "-o", "/dev/null", "-w", "%{http_code}");
  }

  hit(host: string, path: string, beacon: string, page: string): void {
    // A header of the visitor's own must not be believed.
    this.passOn("192.0.2.99", host, path, beacon, page);
  }

  /** Sends a hit as a proxy that says which address its client has. */
  passOn(client: string, host: string, path: string, beacon: string, page: string): void {
    const body = JSON.stringify({ b: beacon, u: `https://example.com${page}`, p: false, q: false });
    const answer = this.ask(host, path, "-d", body, "-H", `X-Forwarded-For: ${client}`);
    expect([path, answer]).toEqual([path, '{"accepted":true}']);
  }

  /** Reads the live stream until it says so many visitors. */
  async readLive(cookie: string, visitors: number): Promise<void> {
    const command = this.command("stats.example", "/website/example.com/live", "-b", cookie);
    const child = Bun.spawn(command, { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    for await (const bytes of child.stdout) {
      text += Buffer.from(bytes).toString();
      if (text.includes(`{"visitors":${visitors}}`)) break;
    }
    child.kill();
    expect(text).toContain(`{"visitors":${visitors}}`);
  }
}

/** A page view of an access log, of 200 bytes, and so many for 5 MB. */
const logLine =
  `192.0.2.1 - - [${apacheTime(Date.UTC(2026, 0, 1, 12))}] "GET /a HTTP/1.1" 200 1 "-" "${browser}"`.padEnd(
    199,
  ) + "\n";
const uploadedLines = 25_000;

/** A header that all of its answers have. */
const ofFootfall = /^x-api-commit:/im;

async function visit(port: number, folder: string): Promise<void> {
  const [one, two] = [new Client("127.0.0.2", port), new Client("127.0.0.3", port)];
  expect(one.ask("stats.example", "/", "--compressed")).toContain('<div id="app">');
  expect(one.ask("stats.example", "/", "-I")).toMatch(/^strict-transport-security: max-age=31536000\r$/im);
  const json = ["-H", "content-type: application/json", "-H", `origin: https://stats.example:${port}`];
  const login = one.ask("stats.example", "/auth/login", "-i", ...json, "-d", JSON.stringify(account));
  const [, cookie = ""] = /^set-cookie: (_me_sess=[^;]+)/im.exec(login) ?? [];
  const mine = ["-b", cookie, ...json];
  expect(one.status("stats.example", "/websites", ...mine, "-d", '{"hostname":"example.com"}')).toBe("201");
  one.hit("stats.example", "/event/hit", "one", "/");
  two.hit("stats.example", "/event/hit", "two", "/");
  one.hit("example.com", "/s/event/hit", "three", "/pricing");
  expect(one.ask("example.com", "/s/script.js?h=example.com", "-i")).toMatch(ofFootfall);
  for (const path of ["/dashboard", "/event/batch", "/event/pixel.gif"])
    expect([path, one.ask("example.com", `/s${path}`, "-i")]).toEqual([
      path,
      expect.not.stringMatching(ofFootfall),
    ]);
  expect(one.ask("example.com", "/s/program.php")).not.toContain("<?php");
  const summary = "/website/example.com/summary?by=visit&metrics=pageviews,visits";
  expect(JSON.parse(one.ask("stats.example", summary, "-b", cookie))).toEqual({
    current: { pageviews: 3, visits: 2 },
  });
  await one.readLive(cookie, 2);
  const file = join(folder, "access.log");
  writeFileSync(file, logLine.repeat(uploadedLines));
  const upload = one.ask(
    "stats.example",
    "/website/example.com/import?dry_run=true",
    ...mine,
    "--data-binary",
    `@${file}`,
  );
  expect(JSON.parse(upload)).toMatchObject({ lines: uploadedLines });
}

/** A CDN that reaches the proxy from two addresses, and somebody who says to be one. */
async function visitByCdn(port: number, server: ServerProcess): Promise<void> {
  await server.logIn();
  expect((await server.post("/websites", { hostname: "example.com" })).status).toBe(201);
  const [one, two] = [new Client("127.0.0.4", port), new Client("127.0.0.5", port)];
  one.passOn("192.0.2.1", "stats.example", "/event/hit", "ada", "/?gclid=x");
  one.passOn("192.0.2.2", "stats.example", "/event/hit", "ben", "/?utm_medium=email");
  two.passOn("192.0.2.99, 192.0.2.1", "stats.example", "/event/hit", "ada again", "/thanks");
  one.passOn("192.0.2.2", "example.com", "/s/event/hit", "ben again", "/pricing");
  new Client("127.0.0.2", port).passOn("192.0.2.1", "stats.example", "/event/hit", "eve", "/thanks");
  const channels = await server.get("/website/example.com/channels?by=visit&metrics=pageviews,visits");
  expect(await channels.json()).toEqual([
    { channel: "Email", pageviews: 2, visits: 1 },
    { channel: "Paid search", pageviews: 2, visits: 1 },
    { channel: "Direct", pageviews: 1, visits: 1 },
  ]);
}

/** Starts a server and the example in front of it, and ends both. `cdn`: the network of a CDN, which both are told of. */
function withProxy(
  name: ProxyName,
  cdn: string | undefined,
  use: (proxy: RunningProxy, server: ServerProcess, folder: string) => Promise<void>,
): Promise<void> {
  return withFolder(async (folder) => {
    const trusted = cdn === undefined ? [] : ["--trust-proxy", `127.0.0.1,${cdn}`];
    const server = await ServerProcess.start(executable, folder, trusted);
    const proxy = await RunningProxy.start(name, server.port, cdn);
    try {
      const [exitCode, said] = proxy.checked;
      expect([exitCode, said]).toEqual([0, said]);
      const client = new Client("127.0.0.1", proxy.port);
      const answers = () => client.ask("stats.example", "/healthz").includes("ok");
      await until(() => proxy.hasEnded || answers(), `${name} answers`);
      if (proxy.hasEnded) throw new Error(await proxy.errors);
      await use(proxy, server, folder);
    } finally {
      await Promise.all([proxy.stop(), server.end("SIGTERM")]);
    }
  });
}

describe.each(someOf(Object.keys(proxies) as ProxyName[]))("%s", (name) => {
  const missing = ([name, "curl", "openssl", "linux"] as const).find((need) => !isThere(need));
  test.skipIf(missing !== undefined)(
    nameWith(missing ?? name, "takes its example, and passes on what it should"),
    () => withProxy(name, undefined, ({ port }, _, folder) => visit(port, folder)),
  );
  // The lines of Traefik belong into a static configuration, of which the example has none.
  test.skipIf(missing !== undefined || name === "traefik")(
    nameWith(missing ?? name, "says who somebody is who comes by a CDN"),
    () => withProxy(name, "127.0.0.4/31", ({ port }, server) => visitByCdn(port, server)),
  );
});
