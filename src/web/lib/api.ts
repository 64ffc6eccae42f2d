/** Calls the public API. Every error is an ApiError with words for a person. */
import { signal } from "@preact/signals";

/** The server's error; `status` is 0 if the server could not be reached. */
export class ApiError extends Error {
  override name = "ApiError";
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** Undefined until the first answer says whether somebody is logged in. */
export const loggedIn = signal<boolean | undefined>(undefined);

/** Returns the answer's JSON; undefined for 204. Throws ApiError; an AbortError if the signal fires. */
export async function call<T>(
  method: Method,
  path: string,
  { body, signal }: { readonly body?: unknown; readonly signal?: AbortSignal } = {},
): Promise<T> {
  const response = await fetch(path, {
    method,
    ...(body !== undefined && {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
    ...(signal !== undefined && { signal }),
  }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, "The server cannot be reached.");
  });
  if (response.ok) return (response.status === 204 ? undefined : await response.json()) as T;
  if (response.status === 401 && path !== "/auth/login" && path !== "/setup") loggedIn.value = false;
  throw new ApiError(response.status, await messageOf(response));
}

async function messageOf(response: Response): Promise<string> {
  const answer = (await response.json().catch(() => null)) as { error?: { message?: string } } | null;
  return answer?.error?.message ?? `The server answered with status ${response.status}.`;
}

export interface User {
  readonly username: string;
  readonly settings: { readonly language: string; readonly script_type: readonly string[] };
  readonly dateCreated: number;
  readonly dateUpdated: number;
}

export interface Website {
  readonly hostname: string;
  /** Whether visits are told apart. */
  readonly visits: boolean;
  readonly summary: { readonly visitors: number };
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
