/** Calls the system's C library, for the few functions that Bun does not offer. */
import { dlopen, type FFIFunction } from "bun:ffi";

/** The names of the library: glibc, musl on both architectures, macOS. */
const libraries = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1", "libSystem.B.dylib"];

type Argument = number | BigUint64Array<ArrayBuffer>;

/**
 * Calls one function, which takes whole numbers and places in memory, and returns a whole number. Throws where there is no
 * library that has it.
 */
export function callLibc(name: string, ...args: readonly Argument[]): number {
  const types = args.map((arg) => (typeof arg === "number" ? "i32" : "ptr"));
  const signature: FFIFunction = { args: types, returns: "i32" };
  for (const library of libraries) {
    let libc;
    try {
      libc = dlopen(library, { [name]: signature });
    } catch {
      continue;
    }
    try {
      const call = libc.symbols[name] as unknown as (...args: readonly Argument[]) => number;
      return call(...args);
    } finally {
      libc.close();
    }
  }
  throw new Error(`no C library with ${name} was found (looked for ${libraries.join(", ")})`);
}
