/** A signal whose value this browser keeps. */
import { effect, signal, type Signal } from "@preact/signals";

export type Keeper = Pick<Storage, "getItem" | "setItem">;

/**
 * Starts as what was kept under `key`, or as the first of `values`, and keeps what it becomes. A browser may forbid
 * storage, by throwing already when it is named: then the value lasts as long as the page.
 */
export function kept<T>(key: string, values: readonly [T, ...T[]], storage: () => Keeper): Signal<T> {
  const text = tolerant(() => storage().getItem(key));
  const known = values.findIndex((value) => JSON.stringify(value) === text);
  const state = signal(values[known] ?? values[0]);
  let first = true;
  effect(() => {
    const value = JSON.stringify(state.value);
    if (!first) tolerant(() => storage().setItem(key, value));
    first = false;
  });
  return state;
}

function tolerant<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
