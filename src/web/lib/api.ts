/** Calls the public API. Every error is an ApiError with words for a person. */
import { signal } from "@preact/signals";
import type { Role } from "../../core/website/role.ts";
import { base } from "./set-up/base.ts";
import { utcDate } from "./texts/format.ts";
import { fill, moreWords, t, translated } from "./texts/words.ts";

/** The server's error; `status` is 0 if the server could not be reached. */
export class ApiError extends Error {
  override name = "ApiError";
  constructor(
    readonly status: number,
    message: string,
    /** Whether the server says so itself, and not a proxy before it. */
    readonly isOwn = true,
    /** The field of the API that it is about: by default the one that its message begins with, if it does. */
    readonly field = /^([\w.]+): /.exec(message)?.[1],
  ) {
    super(message);
  }
}

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** Whether the last request found no server. */
export const unreachable = signal(false);

/** Undefined until the first answer says whether somebody is logged in. */
export const loggedIn = signal<boolean | undefined>(undefined);

/** Whether the session of this page ended by itself: nobody logged out here. */
export const sessionEnded = signal(false);

/** How often somebody logged in on this page. */
let logins = 0;

export function beginSession(): void {
  logins++;
  sessionEnded.value = false;
  loggedIn.value = true;
}

/**
 * The headers by which a page that was opened by a link reads; it sends no cookie, so that everybody sees the same.
 * Undefined on the pages of accounts.
 */
let linkHeaders: Readonly<Record<string, string>> | undefined;

/** Asks for everything by a link from now on. */
export function readByLink(headers: Readonly<Record<string, string>>): void {
  linkHeaders = headers;
}

/** The paths whose 401 does not mean that a session has ended. */
const ownRefusals: ReadonlySet<string> = new Set(["/auth/login", "/setup"]);

interface Asked {
  readonly body?: unknown;
  /** The media type of the answer, if it is not the usual one. */
  readonly accept?: string;
  readonly signal?: AbortSignal;
}

/** Returns the server's answer, which is a success. Throws ApiError; an AbortError if the signal fires. */
export async function send(
  method: Method,
  path: string,
  { body, accept, signal }: Asked = {},
): Promise<Response> {
  const before = logins;
  const response = await fetch(base + path, {
    method,
    headers: {
      ...linkHeaders,
      ...(accept !== undefined && { accept }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(linkHeaders !== undefined && { credentials: "omit" }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    unreachable.value = true;
    throw new ApiError(0, t("The server cannot be reached."));
  });
  // A map that the browser has kept comes without the server.
  if (response.headers.get("cache-control") === "no-store") unreachable.value = false;
  if (response.ok) return response;
  // A request from before the login says nothing of the session since.
  if (response.status === 401 && !ownRefusals.has(path) && before === logins) {
    sessionEnded.value ||= loggedIn.value === true;
    loggedIn.value = false;
  }
  throw await errorOf(response);
}

/** Returns the answer's JSON; undefined for 204. Throws ApiError; an AbortError if the signal fires. */
export async function call<T>(method: Method, path: string, asked: Asked = {}): Promise<T> {
  const response = await send(method, path, asked);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

/** Returns the error of an answer that is no success. */
export async function errorOf(response: Response): Promise<ApiError> {
  await moreWords();
  const { status } = response;
  const answer = (await response.json().catch(() => null)) as { error?: { message?: string } } | null;
  const own = answer?.error?.message;
  const message = own ?? t("The server answered with status {status}.", { status: String(status) });
  return new ApiError(status, message, own !== undefined);
}

/**
 * Returns what an error says, in the language of the page. The server says it in English: the words have its sentences,
 * with places for what they quote and count, with the field that they are about or without it. Of "expected …, got …" they
 * may have what was expected. English has no words of its own, and makes a sentence of what the server said.
 */
export function saidBy({ message }: Pick<ApiError, "message">): string {
  const bare = message.replace(/^[\w.]+: /, "");
  const [, expected, value = ""] = /^expected (.+), got (.+)$/s.exec(bare) ?? [];
  const own = expected && translatedSaid(expected);
  return (
    translatedSaid(message) ??
    translatedSaid(bare) ??
    (own
      ? t("Expected {expected}, got {value}.", { expected: own, value })
      : sentenceOf(message.replace(midnight, utcDate)))
  );
}

/**
 * The field of the API that a refusal begins with, such as `current_password`, is read as words; what was expected of it
 * is what a person should enter. Nobody enters a role: it is that of an account which had another one before.
 */
function sentenceOf(refusal: string): string {
  const text = refusal
    .replace(
      /^hostname: expected (an (?:editor|owner) of .+), got (.+)$/,
      "only $1 may do this, and you are $2",
    )
    .replace(
      /^([\w.]+: )expected (.+?)(?:, got (.+))?$/s,
      (_, field: string, expected: string, got = "nothing") =>
        got === "nothing" ? `${field}enter ${expected}` : `${field}enter ${expected}, not ${got}`,
    )
    .replace(/^[\w.]+(?=: )/, (field) => field.replace(/[._]/g, " "));
  const end = text === "" || /[.!?…]$/.test(text) ? "" : ".";
  return text.slice(0, 1).toUpperCase() + text.slice(1) + end;
}

/** A UTC date, as the server writes it in a sentence. */
const midnight = /\d{4}-\d\d-\d\dT00:00:00(?:\.000)?Z/g;

function translatedSaid(message: string): string | undefined {
  const said: Record<string, string> = {};
  const sentence = message.replace(/"(?:[^"\\]|\\.)*"|\d{4}-\d\d-\d\dT[\d:.]+Z|\d+/g, (value) => {
    const place = Object.keys(said).length + 1;
    said[place] = value.replace(midnight, utcDate);
    return `{${place}}`;
  });
  const own = translated(sentence);
  return own === sentence ? undefined : fill(own, said).join("");
}

export interface User {
  readonly username: string;
  readonly settings: { readonly language: string; readonly script_type: readonly string[] };
  readonly dateCreated: number;
  readonly dateUpdated: number;
  /** There if a login needs a code. */
  readonly second_factor?: true;
}

/** A website as its page needs it. */
export interface ShownWebsite {
  readonly hostname: string;
  /** The hostname as people write it, if that differs. */
  readonly display_hostname?: string;
  /** Whether visits are told apart. */
  readonly visits: boolean;
}

/** Returns the hostname of a website as people write it: müller.example, not xn--mller-kva.example. */
export function displayOf({
  hostname,
  display_hostname = hostname,
}: Pick<ShownWebsite, "hostname" | "display_hostname">): string {
  return display_hostname;
}

/** Months of which only sums are known, from another product. */
export interface ImportedSums {
  readonly months: number;
  /** The first and the last UTC day that they have. */
  readonly first_day: string;
  readonly last_day: string;
}

export interface Website extends ShownWebsite {
  /** The role of the account there. */
  readonly role: Role;
  /** Its other hostnames; missing of one that has none. */
  readonly aliases?: readonly string[];
  /** The visitors of the last 24 hours. */
  readonly summary: { readonly visitors: number };
  readonly imported_sums?: ImportedSums;
  readonly imported?: true;
  /** There if a file of the website is damaged: it has no figures. */
  readonly unavailable?: true;
}

export interface Member {
  readonly username: string;
  readonly role: Role;
}

export interface Invitation {
  readonly id: string;
  readonly role: Role;
  /** Unix seconds. */
  readonly dateExpires: number;
}

/** The accounts of a website, the first owner first. */
export interface Accounts {
  readonly members: readonly Member[];
  readonly invitations: readonly Invitation[];
}

export interface LoginSession {
  readonly id: string;
  readonly browser: string;
  readonly os: string;
  /** Unix seconds. */
  readonly dateCreated: number;
  readonly dateUpdated: number;
  readonly current: boolean;
}
