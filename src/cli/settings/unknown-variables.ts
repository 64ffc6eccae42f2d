/** Finds environment variables that look like settings and are none: a misspelt one would be ignored. */
import { nearest } from "../terminal/nearest.ts";
import { settingsTable, variablesOf, type Environment } from "./settings.ts";

const prefix = "FOOTFALL_";
/** Variables of the build and of the tests, which may run the server. Exported for tests. */
export const otherVariables: readonly string[] = [
  "FOOTFALL_BUILD_COMMIT",
  "FOOTFALL_GOLDEN",
  "FOOTFALL_MEDAMA",
  "FOOTFALL_NATS_SERVER",
  "FOOTFALL_PEOPLE",
  "FOOTFALL_ROUNDS",
  "FOOTFALL_SEED",
  "FOOTFALL_TEST_FOLDER",
  "FOOTFALL_TRAEFIK",
];
/** Kubernetes gives these to every container beside a service named footfall. */
const ofService = /^FOOTFALL_(SERVICE_HOST|SERVICE_PORT|PORT_\d)/;

/** Returns a sentence about each variable that has a value and is no setting, without the value: it may be a secret. */
export function unknownVariables(environment: Environment): string[] {
  const known = Object.values(settingsTable).flatMap(variablesOf);
  const names = known.map((name) => name.replace(prefix, ""));
  return Object.keys(environment)
    .filter((name) => name.startsWith(prefix) && environment[name] && !ofService.test(name))
    .filter((name) => !known.includes(name) && !otherVariables.includes(name))
    .sort()
    .map((name) => {
      const meant = nearest(name.slice(prefix.length), names);
      return `${name} is no setting${meant === undefined ? "" : ` (did you mean ${prefix}${meant}?)`}`;
    });
}
