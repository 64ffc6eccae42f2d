/** A signal whose value is stored in this browser. */
import { effect, signal, type Signal } from "@preact/signals";

export type Keeper = Pick<Storage, "getItem" | "setItem">;

/**
 * Returns a signal. It starts with the value stored under `key`, or the first of `values`, and stores its changes. A
 * browser may forbid storage, and throw as soon as storage is named: then the value lasts as long as the page.
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
