/** Values that are made when they are first asked for: a start does not wait for what its first answers can do without. */

/** The maker, whose value is kept; one that throws is asked again at the next time. */
export function once<T extends NonNullable<unknown>>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}

/** An object whose properties are made when they are first asked for, once each. */
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
