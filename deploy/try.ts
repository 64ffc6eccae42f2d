/**
 * `node run.mjs deploy/try.ts [caddy nginx apache traefik]`: tries the examples of this folder for real. Each proxy that this
 * machine has is started with its example, in which only ports, certificates and folders are replaced, in front of a
 * server from source. Two clients with addresses of their own send hits, on a path of the website itself too; the page,
 * the login, the live stream and an upload of 5 MB go through the proxy. Needs openssl and curl. Debian has all but
 * Traefik: `apt-get install caddy nginx apache2`.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { selfSigned } from "../test/support/self-signed.ts";
import { account, browser, fromSource, ServerProcess } from "../test/support/server.ts";
import { until } from "../test/support/until.ts";

interface Ports {
  readonly server: number;
  readonly https: number;
  readonly http: number;
}

interface Proxy {
  /** Its program, by the first name that is there. */
  readonly programs: readonly string[];
  readonly example: string;
  /** Returns the example with what this machine has, in a whole configuration. */
  readonly configuration: (example: string, ports: Ports, folder: string) => string;
  readonly command: (program: string, path: string, ports: Ports) => readonly string[];
}

const proxies: Readonly<Record<string, Proxy>> = {
  caddy: {
    programs: ["caddy"],
    example: "Caddyfile",
    configuration: (example, { http, https }, folder) => {
      const global = `{\n\tadmin off\n\thttp_port ${http}\n\thttps_port ${https}\n\tstorage file_system ${folder}\n}\n`;
      const tls = `\ttls ${folder}/tls/cert.pem ${folder}/tls/key.pem\n`;
      return global + example.replaceAll(/^(stats\.example|example\.com) \{\n/gm, `$&${tls}`);
    },
    command: (program, path) => [program, "run", "--config", path, "--adapter", "caddyfile"],
  },
  nginx: {
    programs: ["nginx", "/usr/sbin/nginx"],
    example: "nginx.conf",
    configuration: (example, { https }, folder) => {
      const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
      const paths = temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(" ");
      const sites = withCertificates(example, folder)
        .replace(/^ *listen \[::\].*\n/gm, "")
        .replaceAll("listen 443", `listen 127.0.0.1:${https}`);
      const log = `error_log ${folder}/error.log;`;
      return `daemon off; pid ${folder}/pid; ${log} events {} http { access_log off; ${paths}\n${sites}}\n`;
    },
    command: (program, path) => [program, "-c", path],
  },
  apache: {
    programs: ["apache2", "/usr/sbin/apache2", "httpd"],
    example: "apache.conf",
    configuration: (example, { https }, folder) => {
      const modules = ["mpm_event", "authz_core", "ssl", "proxy", "proxy_http", "headers"];
      return [
        `ServerRoot ${folder}`,
        ...modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`),
        `Listen 127.0.0.1:${https}`,
        `PidFile ${folder}/pid`,
        `ErrorLog ${folder}/error.log`,
        "ServerName localhost",
        withCertificates(example, folder).replaceAll("*:443", `*:${https}`),
      ].join("\n");
    },
    command: (program, path) => [program, "-D", "FOREGROUND", "-f", path],
  },
  traefik: {
    programs: ["traefik"],
    example: "traefik.yaml",
    configuration: (example, _, folder) => {
      const certificate = `{ certFile: ${folder}/tls/cert.pem, keyFile: ${folder}/tls/key.pem }`;
      return `${example.replaceAll(/tls:\n +certResolver: letsencrypt/g, "tls: {}")}tls: { certificates: [${certificate}] }\n`;
    },
    // Its static configuration, which the example names in a comment.
    command: (program, path, { https }) => [
      program,
      `--providers.file.filename=${path}`,
      `--entryPoints.websecure.address=127.0.0.1:${https}`,
      "--entryPoints.websecure.transport.respondingTimeouts.readTimeout=600s",
      "--global.checkNewVersion=false",
      "--global.sendAnonymousUsage=false",
    ],
  },
};

function withCertificates(example: string, folder: string): string {
  return example.replaceAll(/\/etc\/letsencrypt\/live\/[^/]+\/(fullchain|privkey)\.pem/g, (_, kind) =>
    join(folder, "tls", kind === "privkey" ? "key.pem" : "cert.pem"),
  );
}

function expect(what: string, got: unknown, wanted: unknown): void {
  if (Bun.deepEquals(got, wanted)) return console.log(`  ${what}: ${JSON.stringify(got)}`);
  throw new Error(`${what}: expected ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`);
}

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

  hit(host: string, path: string, beacon: string, page: string): void {
    const body = JSON.stringify({ b: beacon, u: `https://example.com${page}`, p: false, q: false });
    // A header of the visitor's own must not be believed.
    const answer = this.ask(host, path, "-d", body, "-H", "X-Forwarded-For: 192.0.2.99");
    expect(`hit of ${this.address} at ${host}${path}`, answer, '{"accepted":true}');
  }
}

/** A page view of an access log, of 200 bytes. */
const logLine =
  `192.0.2.1 - - [01/Jan/2026:12:00:00 +0000] "GET /a HTTP/1.1" 200 1 "-" "${browser}"`.padEnd(199) + "\n";
const uploadedLines = 25_000;

/** Looks at the live stream of a website until its text holds what is waited for. */
async function readLive(client: Client, cookie: string, visitors: number): Promise<void> {
  const command = client.command("stats.example", "/website/example.com/live", "-b", cookie);
  const child = Bun.spawn(command, { stdio: ["ignore", "pipe", "inherit"] });
  const startMs = performance.now();
  let text = "";
  for await (const bytes of child.stdout) {
    text += Buffer.from(bytes).toString();
    if (text.includes(`{"visitors":${visitors}}`)) break;
  }
  child.kill();
  if (!text.includes(`{"visitors":${visitors}}`)) throw new Error(`the live stream said ${text}`);
  console.log(`  live stream: ${visitors} visitors after ${Math.round(performance.now() - startMs)} ms`);
}

async function visit(ports: Ports, folder: string): Promise<void> {
  const [one, two] = [new Client("127.0.0.2", ports.https), new Client("127.0.0.3", ports.https)];
  const json = ["-H", "content-type: application/json", "-H", `origin: https://stats.example:${ports.https}`];
  const page = one.ask("stats.example", "/", "--compressed");
  expect("the page of the dashboard", page.includes('<div id="app">'), true);
  const login = one.ask(
    "stats.example",
    "/auth/login",
    "-D-",
    "-o",
    "/dev/null",
    ...json,
    "-d",
    JSON.stringify(account),
  );
  const cookie = /^set-cookie: (_me_sess=[^;]+)/im.exec(login)?.[1] ?? "";
  expect("login", /^HTTP\/\S+ (\d+)/.exec(login)?.[1], "200");
  const site = [
    "-b",
    cookie,
    ...json,
    "-d",
    '{"hostname":"example.com"}',
    "-o",
    "/dev/null",
    "-w",
    "%{http_code}",
  ];
  expect("a website is added", one.ask("stats.example", "/websites", ...site), "201");
  one.hit("stats.example", "/event/hit", "one", "/");
  two.hit("stats.example", "/event/hit", "two", "/");
  one.hit("example.com", "/s/event/hit", "three", "/pricing");
  const script = one.ask("example.com", "/s/script.js?h=example.com");
  expect("the tracker on a path of the website", script.includes("keepalive"), true);
  const code = ["-o", "/dev/null", "-w", "%{http_code}"];
  for (const path of ["/dashboard", "/event/batch", "/event/pixel.gif"])
    expect(`${path} is not there`, one.ask("example.com", `/s${path}`, ...code), "404");
  const summary = "/website/example.com/summary?by=visit&metrics=pageviews,visits";
  const { current } = JSON.parse(one.ask("stats.example", summary, "-b", cookie)) as { current: unknown };
  expect("two clients are two visits", current, { pageviews: 3, visits: 2 });
  await readLive(one, cookie, 2);
  const file = join(folder, "access.log");
  writeFileSync(file, logLine.repeat(uploadedLines));
  const upload = ["-b", cookie, ...json, "--data-binary", `@${file}`];
  const answer = one.ask("stats.example", "/website/example.com/import?dry_run=true", ...upload);
  const mb = (logLine.length * uploadedLines) / 1e6;
  expect(`lines of an upload of ${mb} MB`, (JSON.parse(answer) as { lines: number }).lines, uploadedLines);
}

async function freePort(): Promise<number> {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = server;
  await server.stop(true);
  return port as number;
}

async function tryProxy({ example, configuration, command }: Proxy, program: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "footfall-proxy-"));
  selfSigned(join(folder, "tls"));
  mkdirSync(join(folder, "data"));
  const server = await ServerProcess.start(fromSource, join(folder, "data"));
  const ports = { server: server.port, https: await freePort(), http: await freePort() };
  const path = join(folder, "configuration.yaml");
  const text = readFileSync(join(import.meta.dir, example), "utf8");
  writeFileSync(
    path,
    configuration(text.replaceAll("127.0.0.1:8080", `127.0.0.1:${ports.server}`), ports, folder),
  );
  const child = Bun.spawn([...command(program, path, ports)], { stdio: ["ignore", "ignore", "pipe"] });
  const client = new Client("127.0.0.1", ports.https);
  try {
    const answers = () => client.ask("stats.example", "/healthz").includes("ok");
    await until(() => child.exitCode !== null || answers(), `${program} answers`);
    if (child.exitCode !== null) throw new Error(`${program} ended: ${await child.stderr.text()}`);
    await visit(ports, folder);
  } finally {
    child.kill();
    await Promise.all([child.exited, server.end("SIGTERM")]);
    rmSync(folder, { recursive: true });
  }
}

const asked = Bun.argv.length > 2 ? Bun.argv.slice(2) : Object.keys(proxies);
for (const name of asked) {
  const proxy = proxies[name];
  const program = proxy?.programs.find((each) => Bun.which(each) !== null);
  console.log(`${name}:`);
  if (proxy === undefined) throw new Error(`expected one of ${Object.keys(proxies).join(", ")}`);
  else if (program === undefined) console.log(`  left out, ${proxy.programs[0]} is not on this machine`);
  else await tryProxy(proxy, program);
}
console.log("all that was tried works");
