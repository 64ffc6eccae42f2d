/** The settings of several machines over NATS: rows of the table in `settings.ts`, and what they come to. */
import type { NatsServerList, NatsSettings } from "../../cluster/connection/nats-settings.ts";
import { badInput } from "../../core/refusal.ts";
import { expectNone, parseCount, parseSwitch, refused, type ValuesOf } from "../settings/values.ts";

export const clusterSettings = {
  nats: {
    flag: "nats",
    placeholder: "URLS",
    fallbackText: "one machine",
    description: "NATS servers of a cluster: nats://a,nats://b; other users of the machine can see a flag",
    parse: parseServers,
  },
  natsCredentials: {
    flag: "nats-credentials",
    placeholder: "FILE",
    description: "File with the credentials for NATS (.creds)",
  },
  natsCa: {
    flag: "nats-ca",
    placeholder: "FILE",
    description: "Certificate (PEM) of the authority that the servers of NATS have theirs from",
  },
  natsCert: {
    flag: "nats-cert",
    placeholder: "FILE",
    description: "Certificate (PEM) with which this server comes to NATS",
  },
  natsKey: {
    flag: "nats-key",
    placeholder: "FILE",
    description: "Private key (PEM) of that certificate",
  },
  natsReplicas: {
    flag: "nats-replicas",
    placeholder: "NUMBER",
    fallback: "3",
    description: "NATS servers that hold each record: 3 or 5, or 1 to try",
    parse: parseReplicas,
  },
  natsPrefix: {
    flag: "nats-prefix",
    placeholder: "NAME",
    fallback: "footfall",
    description: "First word of all names in NATS, by which clusters share servers",
    parse: parsePrefix,
  },
  natsMonitors: {
    flag: "nats-monitors",
    placeholder: "URLS",
    fallbackText: "port 8222 of each server",
    description: "Monitoring endpoints of the NATS servers, which say that every write is synced",
    parse: parseMonitors,
  },
  natsUnsynced: {
    flag: "nats-unsynced",
    fallback: "false",
    description: "Go on with NATS servers of which it is not known that they sync every write",
    parse: parseSwitch,
  },
  objects: {
    flag: "objects",
    placeholder: "FOLDER|s3://BUCKET",
    fallbackText: "none",
    description: "Place that all nodes of a cluster reach, for the backups from which a node starts",
  },
} as const;

/** Returns what the settings come to; undefined for a single machine. Throws Refusal if half of a pair is missing, or the servers. */
export function natsSettings(given: ValuesOf<typeof clusterSettings>): NatsSettings | undefined {
  const { nats, natsCredentials: credentials, natsCa: ca, natsCert: cert, natsKey: key } = given;
  if (nats === undefined) {
    const { nats: _, ...others } = clusterSettings;
    expectNone(others, given, "--nats");
    return undefined;
  }
  if (cert !== undefined && key === undefined)
    throw refused("FOOTFALL_NATS_KEY is missing beside the certificate");
  if (key !== undefined && cert === undefined) throw refused("FOOTFALL_NATS_CERT is missing beside the key");
  if (credentials !== undefined && (nats.user ?? nats.token) !== undefined)
    throw refused(
      "FOOTFALL_NATS has a login, and FOOTFALL_NATS_CREDENTIALS names another: expected one of them",
    );
  const { natsPrefix: prefix, natsReplicas: replicas, natsMonitors: monitors, natsUnsynced } = given;
  return { ...nats, prefix, replicas, credentials, ca, cert, key, monitors, acceptsUnsynced: natsUnsynced };
}

/** The text may hold a password, which no message repeats. */
function parseServers(text: string, source: string): NatsServerList {
  const urls = text
    .split(",")
    .map((part) => part.trim())
    .map((part) => URL.parse(part.includes("://") ? part : `nats://${part}`));
  const wrong = () => refused(`${source}: expected URLs like nats://a,nats://b,nats://c or tls://a:4222`);
  const known = urls.filter((url) => url !== null && isServer(url)) as URL[];
  const [first] = known;
  if (first === undefined || known.length < urls.length) throw wrong();
  const logins = new Set(
    known.map(({ username, password }) => `${username}:${password}`).filter((login) => login !== ":"),
  );
  if (logins.size > 1) throw refused(`${source}: expected one login for all servers, got several`);
  const { username, password } = known.find((url) => url.username !== "") ?? first;
  const [user, pass] = [username, password].map((part) => decoded(part, wrong));
  return {
    servers: known.map(({ host }) => host),
    ...(username !== "" &&
      (password === "" ? { token: user as string } : { user: user as string, pass: pass as string })),
    isEncrypted: known.some(({ protocol }) => protocol === "tls:"),
  };
}

function isServer({ protocol, hostname, pathname, search }: URL): boolean {
  return /^(nats|tls):$/.test(protocol) && hostname !== "" && pathname.length < 2 && search === "";
}

function decoded(part: string, wrong: () => Error): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw wrong();
  }
}

function parseReplicas(text: string, source: string): number {
  const count = parseCount(text, source);
  // One more than an odd number makes nothing safer.
  if (![1, 3, 5].includes(count)) throw badInput(source, text, "1, 3 or 5");
  return count;
}

function parseMonitors(text: string, source: string): readonly string[] {
  const urls = text.split(",").map((part) => URL.parse(part.trim()));
  if (!urls.every((url) => url !== null && /^https?:$/.test(url.protocol)))
    throw badInput(source, text, "URLs like http://a:8222,http://b:8222");
  return urls.map((url) => String(url));
}

function parsePrefix(text: string, source: string): string {
  if (!/^[\w-]{1,32}$/.test(text)) throw badInput(source, text, "1 to 32 letters, digits, - or _");
  return text;
}
