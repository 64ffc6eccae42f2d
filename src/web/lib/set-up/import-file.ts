/** Sends a file to be imported, and says what the server made of it. */
import { ApiError, call, errorOf } from "../api.ts";
import { count } from "../texts/format.ts";
import { dayText } from "../texts/notes.ts";
import { t, translated } from "../texts/words.ts";
import { base } from "./base.ts";

interface LeftOut {
  readonly reason: string;
  readonly text: string;
  readonly lines: number;
  readonly host?: string;
  readonly again_from?: string;
}

/** The report of an imported file, as the API answers it. */
export interface FileReport {
  /** The format in words. */
  readonly description: string;
  readonly unit: "line" | "row" | "day";
  readonly pageviews: number;
  readonly events: number;
  readonly first_day?: string;
  readonly last_day?: string;
  readonly event_values?: number;
  readonly left_out: readonly LeftOut[];
  readonly disordered_lines: number;
  readonly proxy_address?: string;
  readonly tracked_days: readonly string[];
  readonly foreign_hosts?: readonly string[];
  readonly dry_run: boolean;
}

const shortNames: Readonly<Record<string, string>> = {
  imported: t("already imported"),
  unreadable: t("could not be read"),
  method: t("no GET requests"),
  status: t("errors and redirects"),
  asset: t("files that are no pages"),
  other: t("neither page views nor events"),
  future: t("from the future"),
  from: t("before that day"),
  until: t("from that day on"),
  expired: t("older than what is kept"),
  host: t("of other hosts"),
  crawler: t("crawlers"),
  referrer_spam: t("referrer spam"),
  blocked: t("blocked by the website's rules"),
  tracked: t("days of months from the first page views here on"),
  begun: t("days from the first page views here on"),
  current: t("days of months that are not over for eight days"),
  unfinished: t("a last line that is not complete"),
};

function reasonText({ reason, text, host, again_from: again }: LeftOut): string {
  if (again !== undefined)
    return t("days before the first page view here (import the file again from {date} on)", {
      date: dayText(again),
    });
  if (host !== undefined) return t("of other hosts, most often {host}", { host });
  return shortNames[reason] ?? translated(text);
}

/** Returns the sentences of a report. */
export function reportText({
  description,
  pageviews,
  events,
  first_day,
  last_day,
  event_values: values = 0,
  left_out,
  disordered_lines: disordered,
  proxy_address: proxy,
  dry_run,
}: FileReport): readonly string[] {
  const list = [
    t("{n} page view|{n} page views", { n: pageviews }),
    ...(events === 0 ? [] : [t("{n} event|{n} events", { n: events })]),
    ...(values === 0 ? [] : [t("{n} value of events|{n} values of events", { n: values })]),
  ].join(", ");
  const others = left_out.map((own) => `${reasonText(own)}: ${count(own.lines)}`);
  return [
    dry_run
      ? t("This is {format}. Would be imported: {list}.", { format: translated(description), list })
      : t("Imported: {list}.", { list }),
    ...(first_day === undefined || last_day === undefined
      ? []
      : [t("Days in UTC: {first} to {last}.", { first: dayText(first_day), last: dayText(last_day) })]),
    ...(others.length === 0 ? [] : [t("Left out: {list}.", { list: others.join("; ") })]),
    ...(disordered === 0
      ? []
      : [t("The file is not in the order of time: visitors and visits count too often. Sort it first.")]),
    ...(proxy === undefined
      ? []
      : [
          t("Most have the address of a proxy, {address}: all with the same browser are one visitor a day.", {
            address: proxy,
          }),
        ]),
  ];
}

/** Whether rows would be left out that can be taken again: months of sums cannot be. */
export function hasImported({ unit, left_out, dry_run }: FileReport): boolean {
  return dry_run && unit !== "day" && left_out.some(({ reason }) => reason === "imported");
}

const namedMax = 5;

/** Returns the warning of days that would count twice; "" for none, and once it is done. */
export function trackedText({ tracked_days, dry_run }: FileReport): string {
  if (tracked_days.length === 0 || !dry_run) return "";
  const named = tracked_days.slice(0, namedMax).map((date) => dayText(date));
  const days = named.join("; ") + (tracked_days.length > namedMax ? "; …" : "");
  return t(
    "{n} day has page views here already and would count twice: {days}.|{n} days have page views here already and would count twice: {days}.",
    { n: tracked_days.length, days },
  );
}

/** Returns the warning that a file is of another website; "" for none, and once it is done. */
export function foreignHostsText(
  { foreign_hosts: hosts = [], dry_run }: FileReport,
  hostname: string,
): string {
  if (hosts.length === 0 || !dry_run) return "";
  const named = hosts.slice(0, namedMax).join(", ") + (hosts.length > namedMax ? ", …" : "");
  return t("The pages of this file are of other hosts ({hosts}), and none is of {hostname}.", {
    hosts: named,
    hostname,
  });
}

/** Sends a file; `onProgress` gets the share that has gone, from 0 to 1. Throws ApiError. */
export function sendFile(path: string, file: File, onProgress: (share: number) => void): Promise<FileReport> {
  return new Promise((resolve, reject) => {
    // Only it says how much of a body has gone.
    const request = new XMLHttpRequest();
    request.open("POST", base + path);
    request.setRequestHeader("content-type", "application/octet-stream");
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
    request.onerror = async () => {
      // A browser sends no file that changed since it was chosen, and one that is gone has no bytes.
      const { byteLength } = await file
        .slice(0, 1)
        .arrayBuffer()
        .catch(() => new ArrayBuffer(0));
      const isThere = byteLength > 0;
      const why = isThere ? t("The server cannot be reached.") : t("The file has changed: choose it again.");
      reject(new ApiError(0, why));
    };
    request.onload = () => {
      const response = new Response(request.responseText, { status: request.status });
      if (response.ok) return resolve(response.json());
      // The session has ended: this question makes the page ask for a login.
      if (response.status === 401) void call("GET", "/user").catch(() => undefined);
      void errorOf(response).then(reject);
    };
    request.send(file);
  });
}
