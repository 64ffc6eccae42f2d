/** The settings of the connection to NATS, and what its client makes of them. */
import { readFileSync } from "node:fs";
import { credsAuthenticator, type ConnectionOptions } from "@nats-io/transport-node";
import { Refusal, shown } from "../../core/refusal.ts";

/** Servers, as they are given to the client, and how this one logs in to them. */
export interface NatsServerList {
  readonly servers: readonly string[];
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
  /** Whether the connection must be encrypted, although no certificate is named. */
  readonly isEncrypted: boolean;
}

/** How it is known that the servers sync every write. */
export interface SyncSettings {
  /** The servers as the connection is given them. */
  readonly servers: readonly string[];
  /** The URLs of their monitoring endpoints; by default port 8222 of each server. */
  readonly monitors: readonly string[] | undefined;
  /** Whether a server that is not known to sync is only warned of. */
  readonly acceptsUnsynced: boolean;
}

export interface NatsSettings extends NatsServerList, SyncSettings {
  /** The first word of all names in NATS. */
  readonly prefix: string;
  /** The number of servers that each message is on. */
  readonly replicas: number;
  /** A file with a JWT and its key, as `nsc` writes it. */
  readonly credentials: string | undefined;
  /** Files in PEM: the authority that signed the servers' certificates, and a certificate of our own with its key. */
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

/** Returns what the client takes besides the servers. Throws Refusal 400 naming the setting of a file that it cannot read. */
export function connectionOptions(settings: NatsSettings): ConnectionOptions {
  const { user, pass, token, credentials, ca, cert, key, isEncrypted } = settings;
  const tls = {
    ...(ca !== undefined && { ca: textOf(ca, "FOOTFALL_NATS_CA") }),
    ...(cert !== undefined && { cert: textOf(cert, "FOOTFALL_NATS_CERT") }),
    ...(key !== undefined && { key: textOf(key, "FOOTFALL_NATS_KEY") }),
  };
  return {
    ...(user !== undefined && { user }),
    ...(pass !== undefined && { pass }),
    ...(token !== undefined && { token }),
    ...(credentials !== undefined && {
      authenticator: credsAuthenticator(Buffer.from(textOf(credentials, "FOOTFALL_NATS_CREDENTIALS"))),
    }),
    ...((isEncrypted || Object.keys(tls).length > 0) && { tls }),
  };
}

/** Returns what the user is told when no server takes the connection: which setting may be wrong. */
export function connectionRefusal({ message }: Error): Refusal {
  const [, advice = ""] = causes.find(([pattern]) => pattern.test(message)) as Cause;
  return new Refusal(500, `no server of NATS takes the connection (${message}): ${advice}`);
}

type Cause = readonly [pattern: RegExp, advice: string];

/** The messages of the client and of OpenSSL. A server ends the connection without a word where it wants a certificate. */
const causes: readonly Cause[] = [
  [/KEY_VALUES_MISMATCH/, "FOOTFALL_NATS_KEY has to name the key of the certificate in FOOTFALL_NATS_CERT"],
  [
    /certificate|self.signed|altname|unable to verify/i,
    "FOOTFALL_NATS_CA has to name the authority of the servers' certificates, which have to be of the hosts in FOOTFALL_NATS",
  ],
  [
    /authori[sz]ation|authentication|permission|credentials/i,
    "FOOTFALL_NATS_CREDENTIALS has to name credentials that the servers know, or FOOTFALL_NATS to have their login",
  ],
  [
    /timeout|closed|reset/i,
    "see FOOTFALL_NATS; where the servers demand a certificate of their clients, FOOTFALL_NATS_CERT and " +
      "FOOTFALL_NATS_KEY have to name one that they accept",
  ],
  [/(?:)/, "see FOOTFALL_NATS"],
];

function textOf(path: string, source: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Refusal(400, `${source}: cannot read ${shown(path)} (${code})`);
  }
}
