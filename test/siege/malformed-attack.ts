/** Sends all malformed requests at once and says which were not dealt with as they have to be. */
import type { ServerProcess } from "../support/server.ts";
import { atLeast, none, siegeHostname, told, withServer, type Check } from "./attack.ts";
import { malformedRequests, type Malformed } from "./malformed.ts";
import { sendRaw, statusesIn, type RawAnswer } from "./raw.ts";

export const hangsMs = 15_000;

export interface MalformedAnswer {
  readonly kind: Malformed;
  readonly answer: RawAnswer;
}

/**
 * `waits`: until the server ends each connection, and those too where more of the request is missing; otherwise only
 * until there is an answer.
 */
export function sendMalformed(port: number, waits: boolean): Promise<MalformedAnswer[]> {
  const isWhole = (text: string) => !waits && statusesIn(text).length > 0;
  const sent = malformedRequests().filter(({ then }) => waits || then !== "open");
  return Promise.all(
    sent.map(async (kind) => ({
      kind,
      answer: await sendRaw(port, kind.bytes, { isWhole, msMax: hangsMs, then: kind.then }),
    })),
  );
}

/** The names of those that hang, were answered with a 5xx that is not "version not supported", or counted wrongly. */
export function wrongOf(answers: readonly MalformedAnswer[], countedPaths: readonly string[]) {
  const isFailure = (status: number) => status >= 500 && status !== 505;
  const named = (found: readonly MalformedAnswer[]) => found.map(({ kind }) => kind.name);
  const allowed = new Set(answers.flatMap(({ kind }) => kind.mayCount));
  return {
    hanging: named(answers.filter(({ answer }) => answer.ms >= hangsMs)),
    failed: named(answers.filter(({ answer }) => statusesIn(answer.text).some(isFailure))),
    counted: countedPaths.filter((path) => !allowed.has(path)),
  };
}

export function siegeMalformed(command: readonly string[]): Promise<Check[]> {
  return withServer(command, async (server) => {
    const answers = await sendMalformed(server.port, true);
    await server.hit(`https://${siegeHostname}/good`, "good");
    const paths = await pathsOf(server);
    const { hanging, failed, counted } = wrongOf(
      answers,
      paths.filter((path) => path !== "/good"),
    );
    return [
      atLeast("kinds of requests", answers.length, 150),
      none("that take 15 s", hanging),
      told("slowest, s", Math.max(...answers.map(({ answer }) => answer.ms)) / 1_000),
      none("that make the server fail", failed),
      none("hits counted that are none", counted),
      atLeast("honest hits counted behind them", paths.filter((path) => path === "/good").length, 1),
    ];
  });
}

async function pathsOf(server: ServerProcess): Promise<string[]> {
  return (await server.rows(siegeHostname, "pages")).map(({ path }) => String(path));
}
