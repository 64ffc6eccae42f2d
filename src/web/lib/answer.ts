/**
 * The server's answers to GET requests, cached by path: a view that is shown again has its figures at once, and new
 * ones as soon as they arrive. A request that nobody waits for any more is cancelled.
 */
import { signal, type Signal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { ApiError, loggedIn, send } from "./api.ts";
import { moreWords } from "./texts/words.ts";

export interface Answer<T> {
  /** The answer to this request or, while it is under way, to the one before. Beside an error it is never another's. */
  readonly data: T | undefined;
  readonly loading: boolean;
  readonly error: ApiError | undefined;
  /** The time from which the answer counts, where earlier months have sums only. */
  readonly rowsFrom?: string | undefined;
  /** The period that was answered, as `start/end` in ISO 8601, where sums of months made it another one than was asked. */
  readonly period?: string | undefined;
  /** Whether some of its figures are close to the right ones, and not exact. */
  readonly isApproximate?: boolean;
}

/** An answer, with what it says of itself in its headers. */
type Said<T> = Pick<Answer<T>, "data" | "rowsFrom" | "period" | "isApproximate">;
/** `key`: that of the request which `data` answers. */
type State<T> = Answer<T> & { readonly key?: string };

const answersMax = 300;
/** The cache by `keyOf`, with the newest answer last. */
const kept = new Map<string, Said<unknown>>();

/**
 * Returns a path without the times of day at which its periods end. The period that another is compared with goes on by the
 * minute: the figures of a minute ago are shown until those of now come.
 */
function keyOf(path: string): string {
  return path.replace(/(end=[\d-]+)T[^&]*/g, "$1");
}

/** Rises when figures may have changed: everything on the screen is asked for again. */
export const freshness = signal(0);

export function askAgain(): void {
  freshness.value++;
}

/** Forgets the answers that belong to a person who logs out, or that were changed. */
export function forgetAnswers(): void {
  kept.clear();
  askAgain();
}

addEventListener("online", askAgain);

/**
 * Returns the answer to a GET of `path`; asks nothing while the path is null, and again when `time` is another. `isFirst`:
 * whether it is asked for before all others that are due with it. A browser sends few requests at once, and the server
 * answers those of one page in the order in which they come.
 */
export function useAnswer<T>(path: string | null, time = 0, isFirst = false): Answer<T> {
  const state = useMemo(() => signal<State<T>>({ data: undefined, loading: true, error: undefined }), []);
  const round = freshness.value;
  // An effect after the next paint would delay every request by a frame.
  useLayoutEffect(() => {
    if (path === null) return;
    const controller = new AbortController();
    void ask(state, path, controller.signal, isFirst);
    return () => controller.abort();
  }, [path, round, time]);
  const answer = state.value;
  // Before the effect has run, the state is still that of the request before.
  const isOther = path !== null && answer.key !== undefined && answer.key !== keyOf(path);
  return isOther && !kept.has(keyOf(path)) ? { ...answer, loading: true } : answer;
}

/** Returns the value; while another answer is under way, the one that belongs to the answer that is still shown. */
export function useHeld<T>(value: T, loading: boolean): T {
  const held = useRef(value);
  if (!loading) held.current = value;
  return held.current;
}

async function ask<T>(
  state: Signal<State<T>>,
  path: string,
  signal: AbortSignal,
  isFirst: boolean,
): Promise<void> {
  const key = keyOf(path);
  const known = kept.get(key) as Said<T> | undefined;
  state.value = {
    ...(known ? { ...known, key } : state.value),
    loading: known === undefined,
    error: undefined,
  };
  try {
    // All effects of a turn run before what waits here.
    if (!isFirst) await undefined;
    const { headers, json } = await answered<T>(path, signal);
    const own: Said<T> = {
      data: json,
      rowsFrom: headers.get("footfall-rows-from") ?? undefined,
      period: headers.get("footfall-period") ?? undefined,
      isApproximate: headers.has("footfall-approximate"),
    };
    // The definitions are for everybody.
    if (!path.startsWith("/dashboard/")) loggedIn.value ??= true;
    keep(key, own);
    if (!signal.aborted) state.value = { ...own, key, loading: false, error: undefined };
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof ApiError)) throw error;
    // Figures that are known stay while the server cannot be reached, which the page says once.
    const stays = error.status === 0 && known !== undefined;
    const own = state.value.key === key ? state.value : { data: undefined };
    state.value = { ...own, loading: false, error: stays ? undefined : error };
  }
}

async function answered<T>(path: string, signal: AbortSignal) {
  const response = await send("GET", path, { signal });
  // Statistics have names of countries and languages.
  if (path.startsWith("/website/")) await moreWords();
  const json = (response.status === 204 ? undefined : await response.json()) as T;
  return { headers: response.headers, json };
}

function keep(key: string, own: Said<unknown>): void {
  kept.delete(key);
  kept.set(key, own);
  for (const oldest of kept.keys()) {
    if (kept.size <= answersMax) break;
    kept.delete(oldest);
  }
}
