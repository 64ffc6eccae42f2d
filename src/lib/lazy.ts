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
