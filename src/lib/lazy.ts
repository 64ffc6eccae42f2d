/**
 * Values that are computed when they are first asked for: a start does not wait for things that its first answers can
 * do without.
 */

/** Returns a function that calls `make` once and keeps the value. If `make` throws, the next call tries again. */
export function once<T extends NonNullable<unknown>>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}

/** Returns an object whose properties are computed when they are first asked for, once each. */
export function lazyObject<T extends object>(makers: { readonly [K in keyof T]: () => T[K] }): T {
  const object = {} as T;
  for (const name of Object.keys(makers) as (keyof T)[]) {
    const get = () => {
      const value = makers[name]();
      Object.defineProperty(object, name, { value, enumerable: true });
      return value;
    };
    Object.defineProperty(object, name, { get, enumerable: true, configurable: true });
  }
  return object;
}
