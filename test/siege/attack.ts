/** An attack shows figures, each beside its bound. The attack failed, as it should, when all of them hold. */
import { table } from "../../bench/measure.ts";
import { withFolder } from "../support/folder.ts";
import { account, ServerProcess } from "../support/server.ts";

export interface Check {
  readonly what: string;
  readonly found: number | string;
  /** Words that say the bound; "" where the figure is only told. */
  readonly bound: string;
  readonly holds: boolean;
  readonly examples?: readonly string[];
}

export function atMost(what: string, found: number, bound: number): Check {
  return { what, found, bound: `at most ${rounded(bound)}`, holds: found <= bound };
}

export function atLeast(what: string, found: number, bound: number): Check {
  return { what, found, bound: `at least ${rounded(bound)}`, holds: found >= bound };
}

export function exactly(what: string, found: number, bound: number): Check {
  return { what, found, bound: `${bound}`, holds: found === bound };
}

/** `found`: examples of what must not be; the first ones are shown. */
export function none(what: string, found: readonly string[]): Check {
  return { ...exactly(what, found.length, 0), examples: found.slice(0, 5) };
}

export function told(what: string, found: number | string): Check {
  return { what, found, bound: "", holds: true };
}

export function checksTable(name: string, checks: readonly Check[]): string {
  const rows = checks.map(({ what, found, bound, holds }) => [
    what,
    typeof found === "number" ? String(rounded(found)) : found,
    bound,
    holds ? "" : "MISSED",
  ]);
  const examples = checks.flatMap(({ what, examples = [] }) =>
    examples.map((example) => `${what}: ${example.slice(0, 500)}`),
  );
  return [table([name, "found", "bound", ""], rows), ...examples].join("\n");
}

function rounded(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(value < 1_000 ? 3 : 6));
}

export const siegeHostname = "siege.example";
/** That of the hits of `bench/open-loop.ts`, who are the honest ones here. */
export const honestHostname = "bench.example";

/** Every address is this machine's or made up: no limit on what one network sends. */
export const attackedEnvironment = {
  FOOTFALL_ADMIN_USERNAME: account.username,
  FOOTFALL_ADMIN_PASSWORD: account.password,
  FOOTFALL_LOADS_PER_NETWORK: "1000000",
};

/** Attacks a new server with both websites, whose owner is logged in. */
export function withServer<T>(
  command: readonly string[],
  attack: (server: ServerProcess, folder: string) => Promise<T>,
): Promise<T> {
  return withFolder(async (folder) => {
    const server = await ServerProcess.start(command, folder, [], attackedEnvironment);
    try {
      await server.logIn();
      for (const hostname of [siegeHostname, honestHostname]) await server.post("/websites", { hostname });
      return await attack(server, folder);
    } finally {
      await server.end("SIGTERM");
    }
  });
}
