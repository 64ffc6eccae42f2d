/** Calls the system's C library, for the few functions that Bun does not offer. */
import { dlopen, read, type FFIFunction, type Pointer } from "bun:ffi";
import { constants } from "node:os";

/** The names of the library: glibc, musl on both architectures, macOS. */
const libraries = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1", "libSystem.B.dylib"];

/** The system's library cannot be called. The message says why, and what to do. */
export class NoLibc extends Error {
  override name = "NoLibc";
}

type Argument = number | BigUint64Array<ArrayBuffer>;

/** The functions that return the place of the error's number: glibc and musl, macOS. */
const errorPlaces = ["__errno_location", "__error"];

/**
 * Calls one function, which takes whole numbers and places in memory, and returns a whole number. Throws
 * NoLibc.
 */
export function callLibc(name: string, ...args: readonly Argument[]): number {
  return withLibc({ [name]: signatureOf(args) }, (symbols) => symbols[name]!(...args));
}

/**
 * Does the same for a function that returns 0, or has failed. Returns the system's name of the error, such as EBADF, and
 * undefined if there is none. Throws NoLibc.
 */
export function errorOfLibc(name: string, ...args: readonly Argument[]): string | undefined {
  const place = errorPlaces[process.platform === "darwin" ? 1 : 0]!;
  const functions = { [name]: signatureOf(args), [place]: { args: [], returns: "ptr" } } as const;
  return withLibc(functions, (symbols) => {
    if (symbols[name]!(...args) === 0) return undefined;
    // Nothing may come in between: whatever calls the system next may set the number anew.
    const error = read.i32(symbols[place]!() as Pointer);
    const known = Object.entries(constants.errno).find(([, number]) => number === error);
    return known?.[0] ?? `error ${error}`;
  });
}

function signatureOf(args: readonly Argument[]): FFIFunction {
  return { args: args.map((arg) => (typeof arg === "number" ? "i32" : "ptr")), returns: "i32" };
}

/** Bun makes the code of a call, and without its compiler it has no way to call anything. */
const withoutCompiler =
  "the program may not compile what it runs: raise or remove the limit of its addresses (ulimit -v, LimitAS of systemd), " +
  "and allow memory that is written and executed (MemoryDenyWriteExecute of systemd, BUN_JSC_useJIT)";

type Functions = Readonly<Record<string, (...args: readonly Argument[]) => number>>;

function withLibc<T>(functions: Readonly<Record<string, FFIFunction>>, use: (symbols: Functions) => T): T {
  for (const library of libraries) {
    let libc;
    try {
      libc = dlopen(library, functions);
    } catch (error) {
      if (/JIT/.test(String(error))) throw new NoLibc(withoutCompiler, { cause: error });
      continue;
    }
    try {
      return use(libc.symbols as unknown as Functions);
    } finally {
      libc.close();
    }
  }
  const names = Object.keys(functions).join(" and ");
  throw new NoLibc(`no C library with ${names} was found (looked for ${libraries.join(", ")})`);
}
