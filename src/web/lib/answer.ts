/**
 * What the server answers to a GET, kept by its path: a view that is shown again has its figures at once, and
 * new ones as soon as they come. A question that nobody waits for any more is cancelled.
 */
import { signal, type Signal } from "@preact/signals";
import { useLayoutEffect, useMemo } from "preact/hooks";
import { ApiError, call, loggedIn } from "./api.ts";

export interface Answer<T> {
  /** Of this question, or while it is on its way of the one before. */
  readonly data: T | undefined;
  readonly loading: boolean;
  readonly error: ApiError | undefined;
}

const answersMax = 300;
/** The youngest last. */
const kept = new Map<string, unknown>();

/** Rises when figures may have changed: everything on the screen is asked again. */
export const freshness = signal(0);

export function askAgain(): void {
  freshness.value++;
}

/** Forgets what belongs to the one who logs out, or was changed. */
export function forgetAnswers(): void {
  kept.clear();
  askAgain();
}

addEventListener("online", askAgain);

/** The answer to a GET of `path`; nothing is asked while it is null. */
export function useAnswer<T>(path: string | null): Answer<T> {
  const state = useMemo(() => signal<Answer<T>>({ data: undefined, loading: true, error: undefined }), []);
  const round = freshness.value;
  // Not after the next paint: that would hold every question up by a frame.
  useLayoutEffect(() => {
    if (path === null) return;
    const controller = new AbortController();
    void ask(state, path, controller.signal);
    return () => controller.abort();
  }, [path, round]);
  return state.value;
}

async function ask<T>(state: Signal<Answer<T>>, path: string, signal: AbortSignal): Promise<void> {
  const known = kept.get(path) as T | undefined;
  state.value = { data: known ?? state.value.data, loading: known === undefined, error: undefined };
  try {
    const data = await call<T>("GET", path, { signal });
    loggedIn.value ??= true;
    keep(path, data);
    if (!signal.aborted) state.value = { data, loading: false, error: undefined };
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof ApiError)) throw error;
    state.value = { data: state.value.data, loading: false, error };
  }
}

function keep(path: string, data: unknown): void {
  kept.delete(path);
  kept.set(path, data);
  for (const oldest of kept.keys()) {
    if (kept.size <= answersMax) break;
    kept.delete(oldest);
  }
}
