/**
 * Tells the refusals of a message apart. A stream has room again when somebody raises a limit or a backup lets old messages
 * go; other trouble may be over at the next attempt.
 */

export interface PublishError {
  readonly err_code: number;
  readonly description?: string;
}

/** A limit of the stream, which is asked before the message goes to other servers; or the trouble of one server with its disk. */
const storeFailed = 10077;
/** The limits of the account: they are asked before the message goes to other servers. */
const overLimits: readonly number[] = [10002, 10047];
/** The limit of one server. In releases before 2.12 others may have stored the message by then. */
const noResources = 10023;

/** The answer of the servers why they do not take a message, in their words. */
export class NotTaken extends Error {
  override name = "NotTaken";
  /** Whether there is no room: asking again is of no use for a while. */
  readonly isFull: boolean;
  /** Whether it is certain that this message is not stored by this request, now or later. */
  readonly isSure: boolean;

  constructor({ err_code: code, description = `error ${code}` }: PublishError) {
    super(description);
    const isLimit = code === storeFailed && /^maximum (?:bytes|messages) exceeded$/.test(description);
    this.isSure = isLimit || overLimits.includes(code);
    this.isFull = this.isSure || code === noResources;
  }
}
