/**
 * Two reasons for which bytes that are what was written cannot be read. Neither is repaired: a start that meets one is
 * refused, and leaves everything as it is.
 */

/** A newer program wrote it. */
export class NewerFormat extends Error {
  override name = "NewerFormat";

  /** `what`: what was found, and what is known in its place. */
  constructor(
    readonly what: string,
    readonly file = "the data",
  ) {
    super(
      `${file} was written by a newer Footfall (${what}): ` +
        "start that version, or restore a backup from before the upgrade",
    );
  }

  in(file: string): NewerFormat {
    return new NewerFormat(this.what, file);
  }
}

/** It is not what a program of its format writes; the message says what came and what was expected. */
export class WrongContent extends Error {
  override name = "WrongContent";
}

/** Throws WrongContent. */
export function expectContent(condition: unknown, message: string): asserts condition {
  if (!condition) throw new WrongContent(message);
}
