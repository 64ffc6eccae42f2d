/** The refusals of a question that has no answer, whatever it asks. */
import { Refusal } from "../core/refusal.ts";

export function nobodyWaits(): Refusal {
  return new Refusal(500, "the request was cancelled");
}

export function tooMany(): Refusal {
  return new Refusal(500, "the server is busy: too many queries are waiting, try again", 5);
}

export function tookTooLong(ms: number): Refusal {
  const advice = "try again, or ask about a shorter period or with fewer filters";
  return new Refusal(500, `there was no answer within ${ms / 1_000} seconds: ${advice}`, 10);
}

export function stopping(): Refusal {
  return new Refusal(500, "the server is stopping");
}
