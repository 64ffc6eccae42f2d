/**
 * The examples of proxies in deploy/, started as they stand there: only ports, certificates and folders are replaced, and the
 * website has a rule for its own files, as most have. Debian has all but Traefik, whose program FOOTFALL_TRAEFIK may name.
 */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quietPort } from "./quiet-port.ts";
import { selfSigned } from "./self-signed.ts";

const deploy = join(import.meta.dir, "..", "..", "deploy");

interface Ports {
  readonly https: number;
  readonly http: number;
}

interface Proxy {
  /** The path of its program; null if this machine has none. */
  readonly program: string | null;
  readonly example: string;
  /** Returns the example with what this machine has, in a whole configuration. */
  readonly configuration: (example: string, ports: Ports, folder: string) => string;
  /** Its own look at a configuration; Traefik has none, and says what it cannot read when it starts. */
  readonly check?: (path: string) => readonly string[];
  readonly run: (path: string, ports: Ports) => readonly string[];
}

export const proxies = {
  caddy: {
    program: Bun.which("caddy"),
    example: "Caddyfile",
    configuration: (example, { http, https }, folder) => {
      const global = `{\n\tadmin off\n\thttp_port ${http}\n\thttps_port ${https}\n\tstorage file_system ${folder}\n}\n`;
      const tls = `\ttls ${folder}/tls/cert.pem ${folder}/tls/key.pem\n`;
      // An application of one page has such a rule, which Caddy obeys before others wherever it stands.
      writeFileSync(join(folder, "index.html"), "the website");
      const website = example
        .replace("/var/www/html", folder)
        .replace("file_server", "try_files {path} /index.html\n\tfile_server");
      return global + website.replaceAll(/^\S+ \{\n/gm, `$&${tls}`);
    },
    check: (path) => ["validate", "--config", path, "--adapter", "caddyfile"],
    run: (path) => ["run", "--config", path, "--adapter", "caddyfile"],
  },
  nginx: {
    program: Bun.which("nginx") ?? Bun.which("/usr/sbin/nginx"),
    example: "nginx.conf",
    configuration: (example, { https }, folder) => {
      const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
      const paths = temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(" ");
      const sites = withCertificates(example, folder)
        .replace(/^ *listen \[::\].*\n/gm, "")
        .replaceAll("listen 443", `listen 127.0.0.1:${https}`)
        .replace("/var/www/html", folder)
        // Most websites say so of their files, before what they add later; the programs of others are run.
        .replace(
          /^ *root .*/m,
          String.raw`$& location ~* \.(?:js|css|png)$ { expires max; } location ~ \.php$ { return 403; }`,
        );
      chmodSync(folder, 0o755);
      mkdirSync(join(folder, "s"));
      writeFileSync(join(folder, "s", "program.php"), "<?php");
      const log = `error_log ${folder}/error.log;`;
      return `daemon off; pid ${folder}/pid; ${log} events {} http { access_log off; ${paths}\n${sites}}\n`;
    },
    check: (path) => ["-q", "-t", "-c", path],
    run: (path) => ["-c", path],
  },
  apache: {
    program: Bun.which("apache2") ?? Bun.which("/usr/sbin/apache2"),
    example: "apache.conf",
    configuration: (example, { https }, folder) => {
      const modules = [
        "mpm_event",
        "authz_core",
        "ssl",
        "proxy",
        "proxy_http",
        "headers",
        "remoteip",
        "rewrite",
      ];
      return [
        `ServerRoot ${folder}`,
        ...modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`),
        `Listen 127.0.0.1:${https}`,
        `PidFile ${folder}/pid`,
        `ErrorLog ${folder}/error.log`,
        "ServerName localhost",
        withCertificates(example, folder)
          .replaceAll("*:443", `*:${https}`)
          // An application of one page has such a rule.
          .replace(
            /^ *# {3}(RewriteRule .*)/m,
            "RewriteEngine on\n$1\nRewriteRule !^/index.html$ /index.html [L]",
          ),
      ].join("\n");
    },
    check: (path) => ["-t", "-f", path],
    run: (path) => ["-D", "FOREGROUND", "-f", path],
  },
  traefik: {
    program: Bun.which(process.env["FOOTFALL_TRAEFIK"] ?? "traefik"),
    example: "traefik.yaml",
    configuration: (example, _, folder) => {
      const certificate = `{ certFile: ${folder}/tls/cert.pem, keyFile: ${folder}/tls/key.pem }`;
      return `${example.replaceAll(/tls:\n +certResolver: letsencrypt/g, "tls: {}")}tls: { certificates: [${certificate}] }\n`;
    },
    // Its static configuration, which the example names in a comment.
    run: (path, { https }) => [
      `--providers.file.filename=${path}`,
      `--entryPoints.websecure.address=127.0.0.1:${https}`,
      "--entryPoints.websecure.transport.respondingTimeouts.readTimeout=600s",
      "--global.checkNewVersion=false",
      "--global.sendAnonymousUsage=false",
    ],
  },
} as const satisfies Readonly<Record<string, Proxy>>;

export type ProxyName = keyof typeof proxies;

function withCertificates(example: string, folder: string): string {
  return example.replaceAll(/\/etc\/letsencrypt\/live\/[^/]+\/(fullchain|privkey)\.pem/g, (_, kind) =>
    join(folder, "tls", kind === "privkey" ? "key.pem" : "cert.pem"),
  );
}

/** Returns an example whose lines for a CDN are switched on, with its network. Throws if there are none. */
function behindCdn(example: string, network: string): string {
  const lines = /(# Behind a CDN[^]*?\n)((?:[ \t]*#   .*\n)+)/g;
  const text = example.replaceAll(lines, (_, said: string, directives: string) =>
    said.concat(directives.replaceAll(/^([ \t]*)#   /gm, "$1").replaceAll("198.51.100.0/24", network)),
  );
  if (text === example) throw new Error("the example has no lines for a CDN");
  return text;
}

/** A proxy in front of a server of this machine. */
export class RunningProxy {
  private constructor(
    private readonly child: Bun.Subprocess<"ignore", "ignore", "pipe">,
    private readonly folder: string,
    readonly port: number,
    /** The end of its own look at the configuration. */
    readonly checked: readonly [exitCode: number, errors: string],
  ) {}

  /**
   * Returns at once, while it starts. `server`: the port to which it passes on; `cdn`: the network of a CDN in front of it, for
   * the lines of the example that are for one.
   */
  static async start(name: ProxyName, server: number, cdn?: string): Promise<RunningProxy> {
    const { program, example, configuration, check, run }: Proxy = proxies[name];
    const folder = mkdtempSync(join(tmpdir(), "footfall-proxy-"));
    selfSigned(join(folder, "tls"));
    const ports = { https: quietPort(), http: quietPort() };
    const path = join(folder, "configuration.yaml");
    const read = readFileSync(join(deploy, example), "utf8").replaceAll(
      "127.0.0.1:8080",
      `127.0.0.1:${server}`,
    );
    const text = cdn === undefined ? read : behindCdn(read, cdn);
    writeFileSync(path, configuration(text, ports, folder));
    const call = (words: readonly string[]) => [program as string, ...words];
    const looked = check && Bun.spawnSync(call(check(path)));
    const child = Bun.spawn(call(run(path, ports)), { stdio: ["ignore", "ignore", "pipe"] });
    return new RunningProxy(child, folder, ports.https, [
      looked?.exitCode ?? 0,
      looked?.stderr.toString() ?? "",
    ]);
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null;
  }

  /** Resolves to what it said, once it has ended. */
  get errors(): Promise<string> {
    return this.child.stderr.text();
  }

  async stop(): Promise<void> {
    this.child.kill();
    await this.child.exited;
    rmSync(this.folder, { recursive: true });
  }
}
