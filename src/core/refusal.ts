/**
 * A request that is answered with an error. It is thrown where bad input is found, mapped to a response in one place
 * (`http/answers/errors.ts`) and to an exit code in another (`cli`). Its message is written for the person who sent
 * the request and never reveals internals.
 */
export type RefusalCode = 400 | 401 | 403 | 404 | 409 | 500;

export class Refusal extends Error {
  override name = "Refusal";

  constructor(
    readonly code: RefusalCode,
    message: string,
    /** The number of seconds after which trying again makes sense; sent as `Retry-After`. */
    readonly retryAfterS?: number,
    /** The error behind it, which whoever sent the request does not see. A command that has no server beside it shows it. */
    cause?: Error,
  ) {
    super(message, cause && { cause });
  }
}

/** Begins the message of a 404 for a path that no route has. From it a node knows that another one has fewer routes. */
export const noEndpoint = "there is no endpoint";

/** Returns a 400 that names the field, the value received and the expected one. */
export function badInput(field: string, got: unknown, expected: string): Refusal {
  return new Refusal(400, `${field}: expected ${expected}, got ${shown(got)}`);
}

const shownCharactersMax = 80;
/** Two characters at most become one: of a longer text the rest is not shown, and costs nothing. */
const readCharactersMax = 2 * shownCharactersMax + 2;

/**
 * Returns a value in the form in which it may stand in an error message: short, on one line, without control
 * characters. A text is in quotation marks, also where it is cut: by them the dashboard finds what a sentence quotes.
 */
export function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "an array" : "an object";
  const text = typeof value === "string" ? JSON.stringify(value.slice(0, readCharactersMax)) : String(value);
  const safe = text.replace(/[^\x20-\x7e\p{L}\p{N}\p{P}\p{S}]/gu, "\ufffd").toWellFormed();
  return safe.length <= shownCharactersMax ? safe : `${safe.slice(0, shownCharactersMax).toWellFormed()}…"`;
}
