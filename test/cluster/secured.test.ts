/** Servers of NATS that demand TLS, a certificate of the client and a credentials file. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ClusterServer } from "../../src/cli/cluster/server.ts";
import { natsSettings } from "../../src/cli/cluster/settings.ts";
import type { NatsSettings } from "../../src/cluster/connection/nats-settings.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { userAdded } from "../support/account-records.ts";
import { useFolder } from "../support/folder.ts";
import { NatsServers } from "../support/nats.ts";
import { signedAccounts } from "../support/nats-jwt.ts";
import { describeWith, isThere, nameWith } from "../support/needs.ts";
import { selfSigned } from "../support/self-signed.ts";
import { until } from "../support/until.ts";

const folder = useFolder();

describeWith("nats", "secured servers", () => {
  let nats: NatsServers;
  let right: Partial<NatsSettings>;
  let foreign: Partial<NatsSettings>;

  beforeAll(async () => {
    if (!isThere("openssl")) return;
    const own = selfSigned(join(folder, "own"));
    const { lines, credentials } = signedAccounts();
    const tls = `tls { cert_file: "${own.cert}", key_file: "${own.key}", ca_file: "${own.cert}", verify: true }`;
    nats = await NatsServers.start({ lines: [...lines, tls] });
    right = { ca: own.cert, cert: own.cert, key: own.key, credentials: written("right", credentials) };
    const other = selfSigned(join(folder, "other"));
    const others = written("others", signedAccounts().credentials);
    foreign = { ca: other.cert, cert: other.cert, key: other.key, credentials: others };
  });
  afterAll(() => nats?.stop());

  function written(name: string, text: string): string {
    const path = join(folder, `${name}.creds`);
    writeFileSync(path, text);
    return path;
  }

  function open(name: string, given: Partial<NatsSettings>): Promise<ClusterServer> {
    const parts = { nats: { servers: nats.servers.map(({ url }) => new URL(url).host), isEncrypted: true } };
    const settings = {
      ...parts,
      natsReplicas: 1,
      natsPrefix: name,
      natsMonitors: nats.monitors.split(","),
      natsUnsynced: false,
    };
    const all = { ...(natsSettings(settings as never) as NatsSettings), ...given };
    const options = { clock: systemClock, random: systemRandom, logger: silentLogger, demo: false };
    return ClusterServer.open(all, { ...options, folder: join(folder, name) }, { version: "test" });
  }

  const needs = test.skipIf(!isThere("openssl"));

  needs("a node with the right files begins and appends", async () => {
    const server = await open("alone", right);
    try {
      await until(() => server.node.isSequencer, "it sequences");
      expect(await server.engine.commit(userAdded(1, "ada"))).toBe("done");
    } finally {
      await server.stop();
    }
  });

  // It waits for leases of four seconds. nodes.test.ts has an outage with short ones, in short runs too.
  const outage = isThere("openssl") ? "time" : "openssl";
  test.skipIf(!isThere(outage))(nameWith(outage, "one comes back after an outage"), async () => {
    const server = await open("back", right);
    try {
      await until(() => server.node.isSequencer, "it sequences");
      await server.engine.commit(userAdded(1, "ada"));
      await nats.killAll();
      await expect(server.engine.commit(userAdded(3, "eve"))).rejects.toMatchObject({ code: 500 });
      await nats.startAll();
      await until(() => server.node.isSequencer && server.node.behindMs === 0, "it sequences again");
      expect(await server.engine.commit(userAdded(9, "bob"))).toBe("done");
      expect([...server.engine.registry.users.keys()]).toContain(1);
    } finally {
      await server.stop();
    }
  });

  // Some of the servers' refusals are a silence of two seconds.
  test.concurrent.skipIf(!isThere("openssl")).each([
    ["an authority that did not sign the server's certificate", "ca", "FOOTFALL_NATS_CA"],
    ["no authority", "ca", "FOOTFALL_NATS_CA"],
    ["a certificate that the server does not know", "cert", "FOOTFALL_NATS_CERT"],
    ["no certificate", "cert", "FOOTFALL_NATS_CERT"],
    ["credentials of another operator", "credentials", "FOOTFALL_NATS_CREDENTIALS"],
    ["no credentials", "credentials", "FOOTFALL_NATS_CREDENTIALS"],
    ["the key of another certificate", "key", "FOOTFALL_NATS_KEY"],
    ["a file of credentials without any", "empty", "FOOTFALL_NATS_CREDENTIALS"],
  ] as const)("%s: the start fails and names the setting", async (what, part, setting) => {
    const { cert, key } = what.startsWith("no ") ? { cert: undefined, key: undefined } : foreign;
    const value = what.startsWith("no ") || part === "empty" ? undefined : foreign[part];
    const ofPart = part === "empty" ? { credentials: written("empty", "\n") } : { [part]: value };
    const wrong = { ...right, ...(part === "cert" ? { cert, key } : ofPart) };
    let failure = "";
    // A server that is silent because the machine is busy looks like one that refuses a certificate.
    await until(
      async () => {
        failure = await open(`b ${what}`, wrong).then(String, (error: Error) => error.message);
        return failure.includes(setting);
      },
      () => `it names ${setting}: ${failure}`,
    );
    expect(failure).toContain("no server of NATS takes the connection");
  });
});
