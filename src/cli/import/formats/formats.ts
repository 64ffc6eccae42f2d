/** The table of formats, and the recognition of a file by its first lines. */
import { badInput, Refusal, shown } from "../../../core/refusal.ts";
import type { Format } from "./format.ts";
import { goatCounter } from "./goatcounter.ts";
import { ga4 } from "./ga4/events.ts";
import { exportedCsv, exportedJson } from "./footfall.ts";
import { caddyLog, nginxJsonLog } from "./logs/json-line.ts";
import { matomo } from "./matomo.ts";
import { medama } from "./medama.ts";
import { combinedLog, commonLog, vhostCombined } from "./logs/text-line.ts";
import { umami } from "./umami.ts";

/** In the order in which they are asked: a line of a later one may look like one of an earlier one, never the other way. */
export const formats: readonly Format[] = [
  goatCounter,
  umami,
  medama,
  ga4,
  matomo,
  exportedJson,
  exportedCsv,
  caddyLog,
  nginxJsonLog,
  vhostCombined,
  combinedLog,
  commonLog,
];

/** The export of Plausible is no lines, but a ZIP: it is known by its first bytes (sums/zip.ts). */
export const plausibleName = "plausible";
export const formatNames = [...formats.map(({ name }) => name), plausibleName].join(", ");

/** Returns the format of that name. Throws Refusal 400. */
export function formatNamed(name: string, field = "--format"): Format {
  const found = formats.find((format) => format.name === name);
  if (found !== undefined) return found;
  if (name === plausibleName)
    throw new Refusal(400, `${field}: "${name}" is for the ZIP of its export, got no ZIP`);
  throw badInput(field, name, `one of ${formatNames}`);
}

/** Throws Refusal 400 if the format that was named for a ZIP is not that of the only ZIP that is read. */
export function expectZipFormat(field: string, name: string | undefined): void {
  if (name === undefined || name === plausibleName) return;
  throw badInput(field, name, `${plausibleName} or none for a ZIP; a log in a ZIP is unpacked first`);
}

const expectedText =
  `one of ${formatNames}: 'footfall import --help' shows a line of each, and --format NAME ` +
  "reads the file as that one; docs/importing.md has commands for others";
/** The same in the dashboard. */
export const expectedOfUpload =
  "an access log, or the export of GoatCounter, Umami, Medama, Matomo, Google Analytics, Plausible or Footfall";

/** The first line of each file in the ZIP of Plausible: a day, and figures of it. */
const plausibleHeader = /^"?date"?,(?=.*\bvisitors\b).*\b(?:bounces|page|entrances|exits|events)\b/;
/** That of the first file in the download of its dashboard, which has rates in place of sums. */
const dashboardHeader = /^"?date"?,(?=.*\bvisitors\b).*\b(?:views_per_visit|bounce_rate)\b/;

/** The first lines of a report of Google Analytics as CSV: comments, before the header of its own dimension and metrics. */
const analyticsReport = /^# ?(?:-{3}|Property:|Account:)/;

/** The beginning of what Matomo's API answers in JSON or CSV: visits with a list of actions in each, or a report of sums. */
const matomoAnswer = /"actionDetails"|\bidVisit\b|\bnb_(?:visits|actions|uniq_visitors)\b/;

/** Returns the refusal of the download of Plausible's dashboard, whose button is the one that is found first. */
export function dashboardDownload(shownPath: string): Refusal {
  return new Refusal(
    400,
    `${shownPath} is the download of Plausible's dashboard, which has no days in its lists: in the website's settings there, under Imports & exports, Prepare download makes the ZIP to import`,
  );
}

/** Whether a file that begins with these lines has nothing in it. */
export function isEmpty(lines: readonly string[]): boolean {
  return lines.every((line) => line.trim() === "");
}

/** Returns the format of a file that begins with these lines. `shownPath` names it in the message. Throws Refusal 400. */
export function recognised(lines: readonly string[], shownPath: string, expected = expectedText): Format {
  const found = formats.find((format) => format.recognises(lines));
  if (found !== undefined) return found;
  if (isEmpty(lines)) throw new Refusal(400, `${shownPath} is empty`);
  const at = lines.findIndex((line) => line.trim() !== "");
  const object = firstObject(lines.slice(at).join("\n"));
  if (object !== undefined && formats.some((format) => format.recognises([object])))
    throw new Refusal(
      400,
      `${shownPath} has an array on one line: expected one object a line, as jq -c '.[]' writes them`,
    );
  if (dashboardHeader.test(lines[at]!)) throw dashboardDownload(shownPath);
  if (plausibleHeader.test(lines[at]!))
    throw new Refusal(
      400,
      `${shownPath} looks like a file of the ZIP that Plausible exports: import that ZIP as it is`,
    );
  if (analyticsReport.test(lines[at]!))
    throw new Refusal(
      400,
      `${shownPath} is a report of Google Analytics, which has sums only: single page views come from BigQuery, and docs/importing.md has the form in which sums are imported`,
    );
  if (matomoAnswer.test(lines[at]!))
    throw new Refusal(
      400,
      `${shownPath} is what Matomo's API answers: docs/importing.md says how it is imported`,
    );
  throw new Refusal(
    400,
    `${shownPath}, line ${at + 1}: ${shown(lines[at])} is of no format that can be imported. Expected is ${expected}`,
  );
}

/** Returns the first object of an array in JSON; undefined if the text is no such array, or ends within the object. */
function firstObject(text: string): string | undefined {
  const begin = /^\s*\[\s*(?=\{)/.exec(text)?.[0].length;
  if (begin === undefined) return undefined;
  let depth = 0;
  for (const { 0: token, index } of text.slice(begin).matchAll(/"(?:[^"\\]|\\[^])*(?:"|$)|[{}]/g)) {
    if (token === "{") depth++;
    else if (token === "}" && --depth === 0) return text.slice(begin, begin + index + 1);
  }
  return undefined;
}
