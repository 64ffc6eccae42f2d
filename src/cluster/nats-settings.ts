/** The settings of the connection to NATS, and what its client makes of them. */
import { readFileSync } from "node:fs";
import { credsAuthenticator, type ConnectionOptions } from "@nats-io/transport-node";
import { Refusal, shown } from "../core/refusal.ts";

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
  /** On how many servers each message is. */
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

function textOf(path: string, source: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Refusal(400, `${source}: cannot read ${shown(path)} (${code})`);
  }
}
