/** Calls the system's C library, for the few functions that Bun does not offer. */
import { dlopen, type FFIFunction } from "bun:ffi";

/** The names of the library: glibc, musl on both architectures, macOS. */
const libraries = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1", "libSystem.B.dylib"];

/** Calls one function, which takes integers and returns one. Throws if no library has it. */
export function callLibc(name: string, ...args: readonly number[]): number {
  const signature: FFIFunction = { args: args.map(() => "i32"), returns: "i32" };
  for (const library of libraries) {
    let libc;
    try {
      libc = dlopen(library, { [name]: signature });
    } catch {
      continue;
    }
    try {
      const call = libc.symbols[name] as unknown as (...args: readonly number[]) => number;
      return call(...args);
    } finally {
      libc.close();
    }
  }
  throw new Error(`no C library with ${name} was found (looked for ${libraries.join(", ")})`);
}
