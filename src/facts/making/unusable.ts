/** Says that a file of facts cannot be used, whatever goes wrong with it. */

/** Thrown when a file of facts cannot be used: the question reads the rows instead, and the file is made again. */
export class UnusableFacts extends Error {
  override name = "UnusableFacts";

  constructor(
    /** The file's path below the data folder. */
    readonly file: string,
    override readonly cause: unknown,
  ) {
    super(`${file}: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

/** A file that another version of the program made, and in which nothing is wrong. */
export class OtherVersion extends Error {
  override name = "OtherVersion";
}

/** Turns whatever goes wrong with the file into UnusableFacts. */
export function usable<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof UnusableFacts ? error : new UnusableFacts(file, error);
  }
}
