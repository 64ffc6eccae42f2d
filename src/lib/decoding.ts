/**
 * The two reasons why undamaged bytes cannot be read. Neither is repaired: a start that meets one is refused, and
 * leaves everything as it is.
 */

/** The data was written by a newer program. */
export class NewerFormat extends Error {
  override name = "NewerFormat";

  /** `what`: what was found, and what this program knows instead. */
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

/** The data is not what a program of its format writes; the message says what was found and what was expected. */
export class WrongContent extends Error {
  override name = "WrongContent";
}

/** Throws WrongContent unless the condition holds. */
export function expectContent(condition: unknown, message: string): asserts condition {
  if (!condition) throw new WrongContent(message);
}
