/** That the programs which read the files of deploy/ take them: systemd, compose, nats-server, and Caddy (proxies.test.ts). */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { natsPath } from "./support/nats.ts";
import { serviceRoutes } from "../src/http/resources/service.ts";
import { describeWith, isThere, nameWith, testWith } from "./support/needs.ts";
import { shownCommands } from "./support/page-commands.ts";
import { selfSigned } from "./support/self-signed.ts";

const deploy = join(import.meta.dir, "..", "deploy");
const textOf = (...path: readonly string[]) => readFileSync(join(deploy, ...path), "utf8");

/** Throws unless the command has nothing to say against the files. */
function expectTaken(...command: readonly string[]): void {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command]);
  const said = stdout.toString() + stderr.toString();
  expect([exitCode, said.replaceAll(/^.*configuration file .* is valid.*\n?/gim, "")]).toEqual([0, ""]);
}

function withFiles(files: Readonly<Record<string, string>>, use: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "footfall-deploy-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(folder, name, ".."), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A unit whose program is there. */
const unit = (text: string) => text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`);

/** Returns what docs/install.md adds to a unit, block by block. */
function printedDropIns(): string[] {
  const page = readFileSync(join(deploy, "..", "docs", "install.md"), "utf8");
  const blocks = Array.from(page.matchAll(/^```ini\n([^]*?)^```/gm), ([, block = ""]) => block);
  expect(blocks.length).toBeGreaterThanOrEqual(3);
  return blocks;
}

/** The lines that are commented out, and would be taken as settings. */
const withExamples = (text: string) => text.replaceAll(/^# {3}(?=\w+=)/gm, "");

test("no unit lets memory, where addresses and keys are, be written to the disk", () => {
  const linesOf = (...path: readonly string[]) => textOf(...path).split("\n");
  expect(linesOf("footfall.service")).toContain("LimitCORE=0");
  expect(linesOf("footfall.service")).toContain("MemorySwapMax=0");
  expect(linesOf("cluster", "nats-server.service")).toContain("LimitCORE=0");
});

test("a SIGHUP, which is no failure to systemd, leaves no unit without its server", () => {
  expect(textOf("footfall.service").split("\n")).toContain("RestartForceExitStatus=SIGHUP");
});

test.each(["footfall.service", "cluster/footfall-node.service", "../docs/install.md"])(
  "%s says that the file of settings, where keys may be, is for nobody else",
  (path) => {
    expect(textOf(path)).toMatch(/\/etc\/footfall\.env[^]*0600|0600 \/etc\/footfall\.env/);
  },
);

testWith("systemd", "systemd takes the units, also of a node", () => {
  const files = {
    ...Object.fromEntries(
      printedDropIns().flatMap((block, at) => [
        [`own-${at}/footfall.service`, unit(textOf("footfall.service"))],
        [`own-${at}/footfall.service.d/override.conf`, block],
      ]),
    ),
    "footfall.service": unit(textOf("footfall.service")),
    "nats-server.service": unit(withExamples(textOf("cluster", "nats-server.service"))),
    "node/footfall.service": unit(textOf("footfall.service")),
    "node/footfall.service.d/cluster.conf": withExamples(textOf("cluster", "footfall-node.service")),
  };
  withFiles(files, (folder) => {
    for (const name of Object.keys(files).filter((name) => name.endsWith(".service")))
      expectTaken("systemd-analyze", "verify", join(folder, name));
  });
});

const composeFiles = ["compose.yaml", "cluster/compose.yaml"];

testWith("compose", "compose takes its files", () => {
  for (const path of composeFiles)
    expectTaken("docker", "compose", "--file", join(deploy, path), "config", "--quiet");
});

/** The elements of a service that these files have, by the Compose Specification (compose-spec/05-services.md). */
const elements =
  "build cap_drop command configs environment image mem_limit networks ports read_only restart security_opt tmpfs ulimits volumes";

interface Build {
  readonly context: string;
  readonly dockerfile: string;
  readonly args?: Readonly<Record<string, string>>;
}

interface Service {
  readonly build?: Build;
  readonly networks?: readonly string[] | Readonly<Record<string, unknown>>;
  readonly configs?: readonly string[];
  readonly volumes?: readonly string[];
}

test.each(composeFiles)("each name in %s is there, also where there is no compose", (path) => {
  type Named = Readonly<Record<string, unknown>>;
  const file = Bun.YAML.parse(textOf(path)) as Readonly<Record<"configs" | "networks" | "volumes", Named>> & {
    readonly services: Readonly<Record<string, Service>>;
  };
  const folder = join(deploy, path, "..");
  for (const [name, service] of Object.entries(file.services)) {
    const { build, networks = [], configs = [], volumes = [] } = service;
    const unknown = Object.keys(service).filter((key) => !elements.split(" ").includes(key));
    const sources = volumes.map((volume) => volume.split(":")[0] as string);
    const named = Array.isArray(networks) ? (networks as readonly string[]) : Object.keys(networks);
    const missing = [
      ...named.filter((each) => !(each in file.networks)),
      ...configs.filter((each) => !(each in file.configs)),
      ...sources.filter((each) => !each.startsWith(".") && !(each in file.volumes)),
      ...sources.filter((each) => each.startsWith(".") && !existsSync(join(folder, each))),
      ...(build === undefined || existsSync(join(folder, build.context, build.dockerfile)) ? [] : ["build"]),
    ];
    expect({ name, unknown, missing }).toEqual({ name, unknown: [], missing: [] });
  }
});

test.each(composeFiles)("the image of %s is built with the commit that its command names", (path) => {
  const file = Bun.YAML.parse(textOf(path)) as { readonly services: Readonly<Record<string, Service>> };
  const builds = Object.values(file.services).flatMap(({ build }) => (build === undefined ? [] : [build]));
  expect(builds.length).toBeGreaterThan(0);
  for (const { context, dockerfile, args } of builds) {
    const named = readFileSync(join(deploy, path, "..", context, dockerfile), "utf8").matchAll(
      /^ARG (\w+)=(\S+)$/gm,
    );
    expect(args).toEqual(
      Object.fromEntries(Array.from(named, ([, name = "", value]) => [name, `\${${name}:-${value}}`])),
    );
  }
  expect(textOf(path)).toContain(
    `COMMIT=$(git rev-parse HEAD) docker compose -f deploy/${path} up --detach --build`,
  );
});

test("docs/install.md starts no container that stays away after the machine or the server has ended", async () => {
  const commands = (await shownCommands()).get("docs/install.md") ?? [];
  const detached = commands.map(({ text }) => text).filter((text) => text.startsWith("docker run --detach "));
  expect(detached.length).toBeGreaterThan(0);
  for (const text of detached) expect(text).toContain(" --restart unless-stopped ");
});

test("where one container has a fixed address of a network, so has each other one, and its own", () => {
  type Fixed = Readonly<Record<string, { readonly ipv4_address?: string }>>;
  const { services } = Bun.YAML.parse(textOf("compose.yaml")) as {
    readonly services: Readonly<Record<string, { readonly networks: Fixed }>>;
  };
  const addresses = Object.values(services).map(({ networks }) => networks["inside"]?.ipv4_address);
  expect(addresses).not.toContain(undefined);
  expect(new Set(addresses).size).toBe(addresses.length);
});

testWith("caddy", "Caddy takes the file that compose gives it", () => caddyTakes("compose.Caddyfile"));

testWith("caddy", "Caddy takes the file for the nodes of a cluster, and asks them what they answer", () => {
  caddyTakes("cluster/Caddyfile");
  const [, path] = /health_uri (\S+)/.exec(textOf("cluster", "Caddyfile")) ?? [];
  expect(serviceRoutes.map((route) => route.path)).toContain(path as never);
});

function caddyTakes(name: string): void {
  const command = ["caddy", "validate", "--adapter", "caddyfile", "--config", join(deploy, name)];
  const { exitCode, stderr } = Bun.spawnSync(command, { env: { ...process.env, SITE: "stats.example" } });
  const said = stderr.toString();
  expect([exitCode, said]).toEqual([0, said]);
}

describeWith("nats", "nats-server takes the configuration", () => {
  const takes = (text: string) =>
    withFiles({ "nats.conf": text }, (folder) =>
      expectTaken(natsPath as string, "-t", "--config", join(folder, "nats.conf")),
    );

  test("of a machine", () => takes(textOf("cluster", "nats.conf")));

  const tls = isThere("openssl") ? test : test.skip;
  tls(nameWith("openssl", "of a machine with TLS and a login, whose lines stand as comments"), () =>
    withFiles({}, (folder) => {
      const { cert, key } = selfSigned(join(folder, "tls"));
      const lines = textOf("cluster", "nats.conf").replaceAll(/^( *)# (?=(?:tls|authorization) \{)/gm, "$1");
      expect(lines.match(/^ *(?:tls|authorization) \{/gm)).toHaveLength(3);
      takes(
        lines
          .replaceAll(/"[^"]+\/(?:cert|ca)\.pem"/g, `"${cert}"`)
          .replaceAll(/"[^"]+\/key\.pem"/g, `"${key}"`),
      );
    }),
  );

  test("of each server in compose.yaml, which syncs what it acknowledges", () => {
    const { configs } = Bun.YAML.parse(textOf("cluster", "compose.yaml")) as {
      readonly configs: Readonly<Record<string, { readonly content: string }>>;
    };
    expect(Object.keys(configs)).toEqual(["nats-1.conf", "nats-2.conf", "nats-3.conf"]);
    for (const { content } of Object.values(configs)) {
      expect(content).toContain("sync_interval: always");
      takes(content);
    }
  });
});
