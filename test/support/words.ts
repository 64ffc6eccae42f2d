/** The texts of the dashboard that a language translates: those in its code, and those that it takes from elsewhere. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deviceNames } from "../../src/collect/names.ts";
import { definitions, otherDefinitions } from "../../src/core/definition.ts";
import { emptyOf, listedDimensions, otherLabel, unknownLabel } from "../../src/core/dimension.ts";
import { metricOf, metrics, type MetricName } from "../../src/core/metric.ts";
import { operators, type Operator } from "../../src/core/operator.ts";
import { rejections } from "../../src/core/rejection.ts";
import { roles } from "../../src/core/website/role.ts";
import { channelNames } from "../../src/query/names/channels.ts";

const source = join(import.meta.dir, "../../src");
const calls = /(?<![\w.])(t|rich)\(/g;
const spelt = /(?<![\w.])(?:t|rich)\(\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/g;

/** Returns the texts that are spelt out in calls of `t` and `rich`. Throws if a call has another first argument. */
export function textsIn(code: string): string[] {
  const bare = code
    .replace(/^\s*(?:\/\*[^]*?\*\/|\/\/.*)$/gm, "")
    .replace(/function (?:t|rich)\b/g, "function");
  const texts = [...bare.matchAll(spelt)].map(([, text = ""]) => read(text));
  const asked = [...bare.matchAll(calls)].length;
  if (texts.length !== asked) throw new Error(`${asked - texts.length} texts of ${asked} are not spelt out`);
  return texts;
}

function read(literal: string): string {
  const text = literal.startsWith("'") ? `"${literal.slice(1, -1).replaceAll('"', '\\"')}"` : literal;
  return JSON.parse(text) as string;
}

/** Returns all texts of the dashboard's code, by file. */
export function textsByFile(): ReadonlyMap<string, readonly string[]> {
  const files = readdirSync(join(source, "web"), { recursive: true, encoding: "utf8" });
  const code = files.filter((name) => /\.tsx?$/.test(name) && name !== join("lib", "words.ts"));
  return new Map(code.map((name) => [name, textsIn(readFileSync(join(source, "web", name), "utf8"))]));
}

/** Sentences of the server that people meet in the dashboard, with places for what they quote and count. */
export const serverTexts = [
  "username or password is wrong",
  "too many wrong passwords, try again in {1} s",
  "too many password checks at once, try again in {1} s",
  "current_password: expected the current password of the account",
  "current_password: too many wrong passwords, try again in {1} s",
  "password: this is not the link's password",
  "username: expected {1} to {2} visible characters without space around them, got {3}",
  "username: {1} is taken",
  "hostname: expected a hostname of letters, digits, hyphens and dots, without port, {1} to {2} characters, got {3}",
  "hostname: expected a name that no other website has, got {1}",
  "hostname: {1} is taken",
  "hostname: there is no website {1}",
  "name: {1} is taken",
  "name: expected lower-case letters, digits and hyphens, for it is in the address, got {1}",
  "password: expected none beside frame_ancestors: a frame asks for no password",
  "frame_ancestors: expected a host like www.example.com, got {1}",
  "blocked_networks: expected an address or network like 192.0.2.7 or fd00::/8, got {1}",
  "blocked_countries: expected a country like Germany or DE, got {1}",
  "blocked_paths: expected a path like /admin, or /admin/* for all that begin so, got {1}",
  "blocked_referrers: expected a hostname like spam.example, got {1}",
  "role: this is the last owner of the website: make another account an owner first",
  "this account has the website already",
  "token: this invitation is not valid: it was used or revoked, or it is too old",
  "token: this set-up link is not valid; use the one that the server printed at its last start",
  "there is an account already: log in",
  "this is a demo: accounts, websites and settings cannot be changed",
  "this session has ended: log in again",
  "the website was removed",
  "the disk is nearly full",
  "the server is stopping",
  "the server is overloaded: try again",
  "the server could not store this: try again",
  "the server is busy: too many queries are waiting, try again",
  "something went wrong in the server",
] as const;

/** Returns the texts that the dashboard takes from tables of others. */
export function tableTexts(): string[] {
  const ofMetric = (name: MetricName) => {
    const { label, figureLabel = label } = metricOf(name);
    return [label, figureLabel, definitions[name]];
  };
  return [
    ...(Object.keys(metrics) as MetricName[]).flatMap(ofMetric),
    ...Object.values(otherDefinitions).flatMap(({ label, text }) => [label, text]),
    ...listedDimensions.flatMap((dimension) => [
      dimension.label.one,
      dimension.label.many,
      emptyOf(dimension)?.label ?? "",
    ]),
    ...operators.flatMap(({ label, accepts }: Operator) => [label, accepts?.expected ?? ""]),
    ...Object.values(rejections),
    ...roles,
    ...channelNames,
    ...new Set(deviceNames().values()),
    "Desktop",
    otherLabel,
    unknownLabel,
    ...serverTexts,
  ].filter((text) => text !== "");
}

/** Returns every text that a language has to translate, once. `ltr` and `lower case` say how it is written. */
export function allTexts(): readonly string[] {
  return [...new Set(["ltr", "lower case", ...[...textsByFile().values()].flat(), ...tableTexts()])];
}
