/** An HTTP request and its answer as they go from one node to another. */
import type { JudgedSender } from "../../collect/hit.ts";

/** `api`: the routes of the server. `control`: the functions of its control socket. */
export type Target = "api" | "control";

export interface ForwardedRequest {
  readonly target: Target;
  readonly method: string;
  /** The path of the request, with its query. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly sender: JudgedSender;
  /** The subject of a body that does not come with the message. */
  readonly body?: string | undefined;
}

export interface ForwardedAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The last record that the sequencer had applied when it answered. */
  readonly seq: number;
  /** The subject of a body that does not come with the message. */
  readonly body?: string | undefined;
}

/** The answer of a node that does not sequence: it did nothing. */
export interface NotSequencing {
  readonly status: 0;
}

/** Subjects within a prefix. Names of nodes have no dots. */
export const subjects = {
  /** A node takes forwarded requests here. */
  forwarded: (prefix: string, node: string) => `${prefix}.forwarded.${node}`,
  /** A node takes several hits at once here. */
  hits: (prefix: string, node: string) => `${prefix}.hits.${node}`,
  answers: (prefix: string, node: string) => `${prefix}.answers.${node}`,
  pieces: (prefix: string, node: string) => `${prefix}.pieces.${node}`,
} as const;

/** Headers about one connection, and addresses: `sender` has the judgement about them. */
const ownHeaders: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "forwarded",
  "keep-alive",
  "te",
  "transfer-encoding",
  "upgrade",
  "x-forwarded-for",
  "x-real-ip",
]);

/** Returns the headers that are passed on; each Set-Cookie is one of them. */
export function passedHeaders(headers: Headers): [string, string][] {
  return [...headers].filter(([name]) => !ownHeaders.has(name));
}

/** Returns the path of a request with its query. Bun puts the Host header into the URL as it comes. */
export function pathOf({ url }: Request): string {
  return url.slice(url.indexOf("/", "http://".length));
}
