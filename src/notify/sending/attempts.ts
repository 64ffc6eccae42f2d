/**
 * Remembers what could not be sent, and when it is tried again: after 1, 2, 4 … minutes, at most an hour. A mail that may have
 * come twice already is tried again a day later: some servers take each, and never say so.
 */
import type { Website } from "../../accounts/registry/registry.ts";
import { label } from "../../core/questions/label.ts";
import { dayMs, minuteMs } from "../../core/hit.ts";
import { Refusal } from "../../core/refusal.ts";
import { errorCharactersMax } from "../../core/website/subscription.ts";
import type { Engine } from "../../engine/engine.ts";
import { MailMayBeTaken } from "./mail.ts";
import { SendError } from "./webhook-target.ts";

const retryMsMax = 60 * minuteMs;

const unknown = new SendError("the server has an error, which its log names", false);

interface Retry {
  readonly failures: number;
  /** After so many of these attempts the mail may have come. */
  readonly unsure: number;
  readonly notBeforeMs: number;
}

export class Attempts {
  /** By website and subscription, or address. After a start everything is tried at once. */
  private readonly retries = new Map<string, Retry>();

  constructor(private readonly engine: Pick<Engine, "clock" | "logger">) {}

  mayTry(key: string): boolean {
    return this.engine.clock.monotonicMs() >= (this.retries.get(key)?.notBeforeMs ?? -Infinity);
  }

  /**
   * Returns the error if there is one, and says in the log that there will be another attempt. An error
   * that nobody foresaw is logged as an error, and whoever waits for the message does not see its words.
   */
  async make(key: string, { hostname }: Website, act: () => Promise<void>): Promise<SendError | undefined> {
    const { clock, logger } = this.engine;
    try {
      await act();
      this.retries.delete(key);
      return undefined;
    } catch (error) {
      const known = knownErrorOf(error);
      const sendError = known ?? unknown;
      this.forget();
      const { failures = 0, unsure: before = 0 } = this.retries.get(key) ?? {};
      const unsure = before + (sendError instanceof MailMayBeTaken ? 1 : 0);
      const waitMs = unsure > 1 ? dayMs : Math.min(retryMsMax, minuteMs * 2 ** failures);
      this.retries.set(key, { failures: failures + 1, unsure, notBeforeMs: clock.monotonicMs() + waitMs });
      const minutes = sendError.isFinal ? 0 : waitMs / minuteMs;
      // The words of the mail server may name an address, which the log does not hold.
      const [code = ""] = /^E[A-Z]+|^[^@]*$/.exec(known?.message ?? String(error)) ?? [];
      logger[known ? "warn" : "error"]("a message could not be sent", {
        website: hostname,
        error: code,
        ...(minutes > 0 && { minutes }),
      });
      return sendError;
    }
  }

  /** Forgets what could have been tried again long ago: it was given up, or is there no more. */
  private forget(): void {
    const sinceMs = this.engine.clock.monotonicMs() - retryMsMax;
    for (const [key, { notBeforeMs }] of this.retries) if (notBeforeMs < sinceMs) this.retries.delete(key);
  }
}

/** Returns the words of an error as records have them: on one line, and not too long. */
export function errorText({ message }: SendError): string {
  return label(message.replace(/\s+/g, " ").toWellFormed()).slice(0, errorCharactersMax).toWellFormed();
}

/** Returns what went wrong with a message. Throws what is a bug. */
export function sendErrorOf(error: unknown): SendError {
  const known = knownErrorOf(error);
  if (known === undefined) throw error;
  return known;
}

function knownErrorOf(error: unknown): SendError | undefined {
  if (error instanceof SendError) return error;
  return error instanceof Refusal ? new SendError(error.message, false) : undefined;
}
