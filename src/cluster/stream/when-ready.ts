/** Waits for servers of NATS that begin. */
import { JetStreamApiError } from "@nats-io/jetstream";
import { Refusal } from "../../core/refusal.ts";
import { expectAllowed } from "../connection/forbidden.ts";
import { systemClock } from "../../lib/clock.ts";
import { notReady } from "./stream-config.ts";

const beginningMs = 30_000;
const pauseMs = 50;

/**
 * Asks until the servers are ready: machines that begin together need some seconds to choose leaders. What was done by a
 * question without an answer is done once. Throws Refusal 500, and what `act` throws of other reasons.
 */
export async function whenReady<T>(act: () => Promise<T>): Promise<T> {
  const untilMs = systemClock.monotonicMs() + beginningMs;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (error instanceof Refusal) throw error;
      expectAllowed(error as Error);
      if (error instanceof JetStreamApiError && !notReady.includes(error.code)) throw error;
      if (systemClock.monotonicMs() > untilMs)
        throw new Refusal(
          500,
          `JetStream is not ready (${(error as Error).message}): more than half of the servers of NATS have to run, with ` +
            "JetStream enabled",
        );
    }
    await Bun.sleep(pauseMs);
  }
}
