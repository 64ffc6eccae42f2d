/**
 * Judges hits by the rules of a website: whether one is blocked, and whether its referrer is a source. The address is
 * looked at here, in memory, and goes no further.
 */
import { parseAddress } from "../core/addresses/address.ts";
import { isIn, parseNetwork } from "../core/addresses/network.ts";
import type { Rules } from "../core/website/rules.ts";
import { comesFrom } from "./spam.ts";

/** The properties of a hit that rules look at. */
export interface Origin {
  readonly address: string;
  /** ISO 3166-1 alpha-2; "" for an unknown one, undefined where nothing can tell it: no country is blocked then. */
  readonly country: string | undefined;
  /** undefined for a hit that names no page. */
  readonly path: string | undefined;
  /** A normalised referrer (core/addresses/referrer.ts). */
  readonly referrer: string;
}

type Test = (origin: Origin) => boolean;

/** The tests of rules, which never change: other rules are another object. */
const testsOf = new WeakMap<Rules, readonly Test[]>();

export function isBlocked(rules: Rules, origin: Origin): boolean {
  return testsOf.getOrInsertComputed(rules, compiled).some((test) => test(origin));
}

/** The hosts of rules whose referrers are not a source. */
const ignoredOf = new WeakMap<Rules, ReadonlySet<string>>();

/** Returns whether a website says that a normalised referrer is not a source. */
export function isIgnoredReferrer(rules: Rules, referrer: string): boolean {
  if (referrer === "" || rules.ignoredReferrers.length === 0) return false;
  const hosts = ignoredOf.getOrInsertComputed(rules, ({ ignoredReferrers }) => new Set(ignoredReferrers));
  return comesFrom(referrer, hosts);
}

function compiled({ networks, countries, paths, referrers }: Rules): readonly Test[] {
  const tests: Test[] = [];
  if (networks.length > 0) tests.push(networksTest(networks));
  if (countries.length > 0) tests.push(({ country }) => country !== undefined && countries.includes(country));
  if (paths.length > 0) tests.push(pathsTest(paths));
  const hosts = new Set(referrers);
  if (hosts.size > 0) tests.push(({ referrer }) => comesFrom(referrer, hosts));
  return tests;
}

function networksTest(networks: readonly string[]): Test {
  const parsed = networks.flatMap((text) => parseNetwork(text) ?? []);
  return ({ address }) => {
    const client = parseAddress(address);
    return client !== undefined && parsed.some((network) => isIn(network, client));
  };
}

function pathsTest(paths: readonly string[]): Test {
  // Only a `*` that the owner wrote stands for whatever follows, and not one that was `%2A`.
  const isPrefix = (path: string) => path.endsWith("*");
  const whole = new Set(paths.filter((path) => !isPrefix(path)).flatMap(formsOf));
  const prefixes = paths.filter(isPrefix).flatMap((path) => formsOf(path.slice(0, -1)));
  // A stored path has no trailing slash: `/shop/*` is meant to block `/shop/` as well.
  const isOne = (path: string) =>
    whole.has(path) || prefixes.some((prefix) => path.startsWith(prefix) || `${path}/` === prefix);
  return ({ path }) => path !== undefined && formsOf(path).some(isOne);
}

/** Returns a path as it is and decoded, in lower case: case is ignored in both. */
function formsOf(path: string): readonly string[] {
  const own = path.toLowerCase();
  if (!own.includes("%")) return [own];
  try {
    return [own, decodeURIComponent(path).toLowerCase()];
  } catch {
    return [own];
  }
}
