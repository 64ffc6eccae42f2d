/** The texts of the dashboard that a language translates: those in its code, and those that it takes from elsewhere. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deviceNames } from "../../src/collect/visitor/names.ts";
import { definitions, otherDefinitions } from "../../src/core/definition.ts";
import { emptyOf, listedDimensions, otherLabel, unknownLabel } from "../../src/core/questions/dimension.ts";
import { metricOf, metrics, type MetricName } from "../../src/core/questions/metric.ts";
import { operators } from "../../src/core/questions/operator.ts";
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

/** Returns all texts of the dashboard's code, and of the server's own mails and pages, by file. */
export function textsByFile(): ReadonlyMap<string, readonly string[]> {
  const filesIn = (folder: string) =>
    readdirSync(join(source, folder), { recursive: true, encoding: "utf8" }).map((name) =>
      join(folder, name),
    );
  const files = [
    ...filesIn("web"),
    ...filesIn("notify"),
    join("http", "resources", "mail-pages.ts"),
    join("core", "words", "figure-texts.ts"),
  ];
  const code = files.filter(
    (name) => /\.tsx?$/.test(name) && name !== join("web", "lib", "texts", "words.ts"),
  );
  return new Map(code.map((name) => [name, textsIn(readFileSync(join(source, name), "utf8"))]));
}

/** Sentences of the server that people meet in the dashboard, with places for what they quote and count. */
export const serverTexts = [
  "no more are asked today: it is asked tomorrow",
  "this is sent there already: remove it first to change it",
  "username or password is wrong",
  "too many wrong passwords, try again in {1} s",
  "too many password checks at once, try again in {1} s",
  "current_password: expected the current password of the account",
  "current_password: too many wrong passwords, try again in {1} s",
  "code: expected the code of the second factor",
  "code: this code is wrong or was used already, enter the next one; if none is right, compare the clocks of phone and server",
  "code: too many wrong codes, try again in {1} s",
  "code: too many wrong codes, try again in {1} minutes",
  "secret: expected the one that was offered",
  "the second factor is on already",
  "there is no second factor",
  "password: this is not the link's password",
  "username: expected {1} to {2} visible characters with single spaces between them only, got {3}",
  "username: {1} is taken",
  "hostname: expected a hostname of letters, digits, hyphens and dots, without port, {1} to {2} characters, got {3}",
  "hostname: expected a name that no other website has, got {1}",
  "name: expected no control characters, got {1}",
  "tokens: expected at most {1} of an account: revoke one first",
  "websites: expected at most {1} of an account: remove one first",
  "websites: expected at most {1} characters of goals, notes, segments, links and the like in all that an account owns: remove some first",
  "hostname: {1} is taken",
  "hostname: {1} is taken: its hits count for {2}",
  "hostname: there is no website {1}",
  "name: {1} is taken",
  "name: expected lower-case letters, digits and hyphens, for it is in the address, got {1}",
  "password: expected none beside frame_ancestors: a frame asks for no password",
  "frame_ancestors: expected a host like www.example.com, got {1}",
  "blocked_networks: expected an address or network like {1}.{2}.{3}.{4} or fd{5}::/{6}, got {7}",
  "blocked_countries: expected a country like Germany or DE, got {1}",
  "blocked_paths: expected a path like /admin, or /admin/* for all that begin so, got {1}",
  "blocked_referrers: expected a hostname like spam.example, got {1}",
  "ignored_referrers: expected a hostname like pay.example, got {1}",
  "aliases: expected a hostname like shop.example.com, got {1}",
  "aliases: expected a hostname that no website has, with or without www., got {1}",
  "aliases: hits of {1} count for {2}: rename or remove that website, or change it, first",
  "aliases: expected at most {1} hostnames, got {2}",
  "role: this is the last owner of the website: make another account an owner first",
  "hostname: {1} and {2} are one website to visitors: first make an account that stays an owner of both, or remove one of them",
  "hostname: {1} would go to {2}, who has no room for it (at most {3} websites, {4} characters of goals, notes, segments, links and the like, and {5} imported files): make that account an editor first, or have some removed there",
  "this account has the website already",
  "token: this invitation is not valid: it was used or revoked, or it is too old",
  "token: this set-up link is not valid; use the one that the server printed at its last start",
  "there is an account already: log in",
  "this is a demo: accounts, websites and settings cannot be changed",
  "this session has ended: log in again",
  "email: this server sends no mail: its owner sets FOOTFALL_SMTP",
  "email: expected a mail address like ada@example.com, got {1}",
  "email: expected at most {1} addresses of a website: remove one first",
  "webhook.url: expected a URL like https://hooks.example.com/a, without a password",
  "webhook.url: expected the address of a topic like https://ntfy.sh/my-topic",
  "the website was removed",
  "the website has no imported sums",
  "the website was removed while the file was imported",
  "another import of the same file is under way",
  "an export of Footfall as JSON lines",
  "an export of Footfall as CSV",
  "GoatCounter's CSV export",
  "an access log of Caddy in JSON",
  "an access log in JSON",
  "Medama's table of page views",
  "the events of Google Analytics 4 in BigQuery",
  "an access log in the combined format with the virtual host before it",
  "an access log in the combined format",
  "an access log in the common format, which has no user agents: crawlers count as visitors",
  "Umami's table of page views and events",
  "Matomo's visits with a row for each action",
  "Plausible's export, which has sums of days: months without page views of their own",
  "the file, line {1}: {2} is of no format that can be imported. Expected is an access log, or the export of GoatCounter, Umami, Medama, Matomo, Google Analytics, Plausible or Footfall",
  "the file has too many visitors on one day, over {1} with the pages of each: its owner can import it on the server itself",
  "the file is empty",
  "the file has over {1} pages, sources and other names, counted again on each day: the server's owner can import it by the command line",
  "its name has no address",
  "its name cannot be resolved",
  "it has an address of a private network: the server's owner can allow that by FOOTFALL_WEBHOOK_NETWORKS",
  "it has to begin with https://",
  "it answered {1}",
  "it answered {1}: redirects are not followed",
  "it waited for too long",
  "no answer within {1} seconds",
  "its answer is no HTTP",
  "it refuses connections",
  "there is no way to it from this server",
  "its certificate is not valid: {1}",
  "it closed the connection without an answer",
  "a test message was sent a moment ago: try again in a minute",
  "its owner has not confirmed it yet",
  "its owner could not be asked to confirm it: {1}",
  "this server sends no messages",
  "there is no subscription {1} of this website",
  "the file is much larger unpacked than any log: unpack it first",
  "the file is packed in a way that is not read here: unpack it first",
  "the file is UTF-{1}: save it as UTF-{2}",
  "the file is cut off or damaged",
  "the file is a ZIP, and is no export of Plausible's: unpack it first",
  "the file is an export of Footfall with sums: docs/importing.md says what can be imported",
  "the file is an export of GoatCounter with sums: docs/importing.md says what can be imported",
  "the file is an export of Umami with sums: docs/importing.md says what can be imported",
  "the file is the download of Plausible's dashboard, which has no days in its lists: in the website's settings there, under Imports & exports, Prepare download makes the ZIP to import",
  "the file has an array on one line: expected one object a line, as jq -c '.[]' writes them",
  "the file looks like a file of the ZIP that Plausible exports: import that ZIP as it is",
  "the file is a report of Google Analytics, which has sums only: single page views come from BigQuery, and docs/importing.md has the form in which sums are imported",
  "the file is what Matomo's API answers: docs/importing.md says how it is imported",
  "the file: the ZIP is cut off or damaged",
  "the file has {1} files: expected at most {2}",
  "the first line: expected at most {1} names, got more",
  "the first line: expected each column once, got {1} twice",
  "the file, {1}, line {2}: the sum of {3} in {4} is {5}: expected at most {6}",
  "the file, {1}, line {2}: another line of the ZIP has {3} too",
  "the file, {1}, line {2}: date: got {3}, expected one of the calendar from {4} to {5}",
  "of months with events, and without page views",
  "the first line is that of a file imported before ({1} bytes), but the file is shorter or those bytes changed: nothing was imported. To have this file in place of that one, purge the days of that one, and import this one anew (--anew)",
  "imported files: expected at most {1} of a website: append new lines to one of them and import that, or have the server's operator import them",
  "imported files: expected at most {1} in all that an account owns: append new lines to one of them and import that, or have the server's operator import them",
  "a file in the order of time: sort it first",
  "another file is being imported: try again when it is done",
  "the file came too slowly while others were waiting: send it again, and it goes on where it stopped",
  "the connection ended before all of it was received",
  "a smaller file",
  "the disk is nearly full",
  "the server is stopping",
  "the clock of the server is wrong: try again",
  "the server is overloaded: try again",
  "the server could not read a file that it needs to count this: try again",
  "the server could not store this: try again",
  "the server is busy: too many queries are waiting, try again",
  "something went wrong in the server",
  "there is no session {1}",
  "there is an account already",
  "there is no account {1}",
  "there is no goal {1} of this website",
  "there is no note {1} of this website",
  "there is no segment {1} of this website",
  "there is no funnel {1} of this website",
  "there is no link {1} of this website",
  "there is no invitation {1} of this website",
  "{1} is no account of this website",
  "goals: expected at most {1} of a website: remove one first",
  "notes: expected at most {1} of a website: remove one first",
  "segments: expected at most {1} of a website: remove one first",
  "funnels: expected at most {1} of a website: remove one first",
  "links: expected at most {1} of a website: revoke one first",
  "invitations: expected at most {1} that wait: revoke one first",
  "members: expected at most {1} of a website",
  "too many changes at once: try again",
  "it was removed, but some of its files could not be deleted yet: the server keeps trying",
  "filters: expected a filter, a start or an end, got none: remove the website instead",
  "there is no such link: perhaps it was revoked, or its address was cut off",
  "this link needs its password",
  "a link reads the statistics of its website, and nothing else",
  "a link with filters shows none",
  "a link that is held to a property shows no goals and no steps of others",
  "a link that is held to a country or a property does not say where visits began",
  "hostname: expected an editor of {1}, got a viewer",
  "hostname: expected an owner of {1}, got a viewer",
  "hostname: expected an owner of {1}, got an editor",
  "log in first: this request has no valid session",
  "the session or the link has ended",
  "the request was cancelled",
  "there was no answer within {1} seconds: try again, or ask about a shorter period or with fewer filters",
  "deleting needs {1} free bytes on the disk to write the remaining data; {2} are free",
  "a file of the website cannot be read: see the log of the server",
  "this website is unavailable, because a file is damaged: see the log of the server",
  "this server is new and still fetches {1} files: try again, or ask about a shorter period",
  "a file of these statistics could not be fetched yet: see the log of the server, or ask about another period",
  "this node still fetches {1} files of its copy: try again when it has them",
  "expected filters and a period that select at most {1} values with {2} characters, got {3} values: remove a shorter period at a time",
  "expected at most {1} intervals, got more: ask for a shorter period, or for longer intervals than minutes",
  "expected at most {1} intervals, got more: ask for a shorter period, or for longer intervals than hours",
  "at most {1} archives of a website are made at a time for links",
  "at most {1} files are made at a time for an account, and {2} for all",
  "a removal is under way: try again when it is done",
  "expected at most {1} bytes, got more",
  "body: too many come at once, and this one took long: try again",
  "expected a page of {1}, got {2}; a proxy has to pass on Host or X-Forwarded-Host",
  "expected a website with visits, and {1} has them off: its set-up page, or PATCH /websites/{hostname}, switches them on",
  "{1} to {2} characters",
  "at most {1} characters",
  "at most {1} entries",
  "at most {1} filters",
  "{1} to {2} paths",
  "{1} to {2} texts",
  "{1} to {2} steps",
  "texts of at most {1} characters",
  "a day like {1}-{2}-{3}",
  "a path",
  "a list of paths",
  "a path like /pricing",
  "one path",
  "one text",
  "at least one value",
  "every value once",
  "the name of a property",
  "either page or event",
  "the id of a goal of this website",
  "filters such as country[eq]=Germany, and nothing else",
  "a time that is not after end",
  "an RFC {1} date-time like {2}-{3}-{4}T{5}:{6}:{7}Z",
  "the IANA name of a time zone",
  "there is no token {1}",
  "kind: the disk is told of to the oldest account only",
  "the days before {1} have sums only, of which nothing can be removed: expected a start from {2} on",
  "the months before {1} have sums only: expected a period that ends later, or no filters, goals, steps or medians of values",
  "compare_start: expected a time from {1} on: earlier months have sums only",
  "a cluster takes no sums of months: import them on a single machine, and move its folder into the cluster",
  "the website has no room for so many numbers of visits",
  "a whole number from {1} to {2}",
  "either email or webhook",
  "these are visits, which are made of page views: import what 'footfall export HOST' writes without --of",
  "these are events, which are made of page views: import what 'footfall export HOST' writes without --of",
  "this session or token has ended: log in again",
  "the file, {1}, line {2}: {3} has no column date",
  "the file, {1}, line {2}: {3}: got {4}, expected a whole number",
  "the file, {1}, line {2}: a quote is never closed, or there are too many cells",
  "the file, {1}, line {2} is too long",
  "the file, {1}: the ZIP is cut off or damaged",
  "the file is a ZIP{1}, which is not read: pack its files again without it",
  "the file, {1} is packed in a way that is not read: expected a plain ZIP without a password",
  "the file, {1} has other bytes than the ZIP says",
  "the file has {1} bytes unpacked: expected at most {2}: its owner can import it on the server itself",
  "interval: got minute, expected hour, day, week or month: months that gave up their rows are known by quarters of an hour",
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
      ...Object.values(dimension.label),
      emptyOf(dimension)?.label ?? "",
    ]),
    ...operators.map(({ label }) => label),
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
