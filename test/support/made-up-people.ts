/**
 * Some hundred made-up page views and events, and the files in which other products and servers would have them. No product
 * wrote these files; their columns and forms are those of
 *
 * - GoatCounter 2.7: its help, "Export", format 2
 * - Umami 3.1: `prisma/schema.prisma`, the tables `website_event`, `session` and `event_data`, as PostgreSQL's COPY writes them
 * - Medama 0.6: `core/migrations`, the DuckDB tables `views` and `events` of schema 0007, as DuckDB's COPY writes them
 * - Plausible: `lib/plausible/exports.ex` (in plausible-export.ts)
 * - combined, vhost_combined, common: the LogFormat lines of Debian's apache2.conf, Apache 2.4
 * - Caddy: an entry of its access log as its page "Logging" shows it, Caddy 2
 * - nginx JSON: `log_format` with `escape=json` and the names of nginx's own variables
 *
 * Their totals are counted from the views themselves (`counted`).
 */

export interface MadeView {
  readonly kind: "view" | "event";
  readonly timeMs: number;
  readonly person: number;
  readonly visit: number;
  /** The path of a view, the name of an event. */
  readonly name: string;
  /** The path of the page that the event was on. */
  readonly path: string;
  readonly referrer: string;
  readonly isUnique: boolean;
  readonly isFirstOfPage: boolean;
  readonly durationMs: number | null;
}

export const madeHost = "example.com";
export const madeStartMs = Date.UTC(2024, 4, 1);
const dayMs = 86_400_000;
const paths = ["/", "/about", "/blog/first", '/say-"hi",-you', "/caf%C3%A9"];
const referrers = [
  "",
  "",
  "https://www.google.com/",
  "https://news.ycombinator.com/item",
  "https://blog.example.org/a",
];
export const userAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:126.0) Gecko/20100101 Firefox/126.0";

/** Makes visits of people over five days, in the order of time; none goes over midnight. */
export function madeUpViews(random: () => number): MadeView[] {
  const below = (limit: number) => Math.floor(random() * limit);
  const views: MadeView[] = [];
  for (let visit = 1; visit <= 90; visit++) {
    const person = 1 + below(40);
    let timeMs = madeStartMs + below(5) * dayMs + below(22 * 3_600) * 1_000;
    for (let left = 1 + below(4); left > 0; left--) {
      const path = paths[below(paths.length)] as string;
      const of = { timeMs, person, visit, path, isUnique: false, isFirstOfPage: false };
      const referrer = referrers[below(referrers.length)] as string;
      views.push({
        ...of,
        kind: "view",
        name: path,
        referrer,
        durationMs: random() < 0.3 ? null : below(60_000),
      });
      if (random() < 0.3)
        views.push({
          ...of,
          kind: "event",
          timeMs: timeMs + 1_000,
          name: "sign up",
          referrer: "",
          durationMs: null,
        });
      timeMs += (1 + below(600)) * 1_000;
    }
  }
  return marked(views.toSorted((a, b) => a.timeMs - b.timeMs));
}

/** Marks who is new on a day and on a page. */
function marked(views: readonly MadeView[]): MadeView[] {
  const known = new Set<string>();
  const isNew = (key: string) => !known.has(key) && known.add(key) === known;
  return views.map((view) => {
    if (view.kind === "event") return view;
    const day = `${Math.floor(view.timeMs / dayMs)} ${view.person}`;
    return { ...view, isUnique: isNew(day), isFirstOfPage: isNew(`${day} ${view.path}`) };
  });
}

/** Counts what the files hold: page views and visitors by day and by path. */
export function counted(views: readonly MadeView[]) {
  const days: Record<string, [pageviews: number, visitors: number]> = {};
  const pages: Record<string, [pageviews: number, visitors: number]> = {};
  let events = 0;
  for (const { kind, timeMs, path, isUnique, isFirstOfPage } of views) {
    if (kind === "event") {
      events++;
      continue;
    }
    const day = (days[new Date(timeMs).toISOString().slice(0, 10)] ??= [0, 0]);
    const page = (pages[decoded(path)] ??= [0, 0]);
    day[0]++;
    page[0]++;
    if (isUnique) day[1]++;
    if (isFirstOfPage) page[1]++;
  }
  return { days, pages, events };
}

/** A path as all answers can be compared: products write it encoded or not. */
export function decoded(path: string): string {
  return decodeURIComponent(path);
}

const cell = (value: string | number | boolean | null) => {
  const text = String(value ?? "");
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const csv = (rows: readonly (readonly (string | number | boolean | null)[])[]) =>
  rows.map((row) => `${row.map(cell).join(",")}\n`).join("");
const iso = (timeMs: number) => new Date(timeMs).toISOString();

/** GoatCounter 2.7: a session is a visitor here for a day, as it is for some hours there. */
export function goatCounterCsv(views: readonly MadeView[]): string {
  const head =
    "2Path,Title,Event,UserAgent,Browser,System,Session,Bot,Referrer,Referrer scheme,Screen size,Location,FirstVisit,Date";
  const rows = views.map(({ kind, timeMs, person, name, referrer, isFirstOfPage }) => [
    kind === "event" ? name : decoded(name),
    'A title, of\n"two" lines',
    kind === "event" ? 1 : 0,
    "",
    "Firefox 126.0",
    "Linux Ubuntu",
    `${(person * 1_000 + Math.floor(timeMs / dayMs)).toString(16)}-8e4f5c975b8fee06`,
    0,
    referrer.replace("https://", "").replace(/\/$/, ""),
    referrer === "" ? "" : "h",
    "1920,0,1",
    "RO-B",
    kind === "event" || isFirstOfPage ? 1 : 0,
    iso(timeMs).replace(".000", ""),
  ]);
  return `${head}\n${csv(rows)}`;
}

function umamiObjects(views: readonly MadeView[]) {
  return views.map(({ kind, timeMs, person, visit, name, path, referrer }, at) => {
    const url = referrer === "" ? undefined : new URL(referrer);
    return {
      event_id: `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`,
      website_id: "11111111-0000-4000-8000-000000000000",
      session_id: `22222222-0000-4000-8000-${String(person).padStart(12, "0")}`,
      visit_id: `33333333-0000-4000-8000-${String(visit).padStart(12, "0")}`,
      created_at: iso(timeMs).replace("T", " ").replace("Z", "+00"),
      url_path: decoded(path),
      url_query: at % 7 === 0 ? "utm_source=news&id=1" : "",
      referrer_path: url?.pathname ?? "",
      referrer_domain: url?.hostname.replace(/^www\./, "") ?? "",
      page_title: 'A "title", of\ntwo lines',
      event_type: kind === "event" ? 2 : 1,
      event_name: kind === "event" ? name : "",
      hostname: madeHost,
      browser: "firefox",
      os: "Linux",
      device: "laptop",
      language: "ro-RO",
      country: "RO",
    };
  });
}

export function umamiCsv(views: readonly MadeView[]): string {
  const objects = umamiObjects(views);
  return csv([Object.keys(objects[0] ?? {}), ...objects.map((row) => Object.values(row))]);
}

/** The values of the events: a plan and a price each, as rows of Umami's table `event_data`. */
export function umamiEventData(views: readonly MadeView[]): string {
  const head =
    "event_data_id,website_event_id,data_key,string_value,number_value,date_value,data_type,created_at";
  const rows = umamiObjects(views)
    .filter(({ event_type }) => event_type === 2)
    .flatMap(({ event_id }, at) => [
      [`4${at}`, event_id, "plan", at % 2 === 0 ? "pro" : 'a "b", c', "", "", 1, ""],
      [`5${at}`, event_id, "price", "12.5000", "12.5000", "", 2, ""],
    ]);
  return `${head}\n${csv(rows)}`;
}

/** The rows with the values of the events beside them, as the query in the help makes them. */
export function umamiWithData(views: readonly MadeView[]): string {
  const objects = umamiObjects(views).map((row, at) => ({
    ...row,
    event_data:
      row.event_type === 2 ? JSON.stringify({ plan: at % 2 === 0 ? "pro" : "free", price: 12.5 }) : "",
  }));
  return csv([Object.keys(objects[0] ?? {}), ...objects.map((row) => Object.values(row))]);
}

/** The two files that the queries for MySQL make: its JSON_OBJECT has times with microseconds, and numbers as numbers. */
export function umamiOfMySql(views: readonly MadeView[]): { readonly events: string; readonly data: string } {
  const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  const objects = umamiObjects(views).map(({ website_id, page_title, created_at, event_name, ...row }) => ({
    ...row,
    created_at: created_at.replace("+00", "000"),
    event_name: event_name || null,
  }));
  const values = objects
    .filter(({ event_type }) => event_type === 2)
    .flatMap(({ event_id }) => [
      { event_id, data_key: "plan", string_value: 'a "b", c', number_value: null, data_type: 1 },
      { event_id, data_key: "price", string_value: "12.5000", number_value: 12.5, data_type: 2 },
    ]);
  return { events: lines(objects), data: lines(values) };
}

/** As PostgreSQL writes json_agg: an array over many lines. */
export function umamiJson(views: readonly MadeView[]): string {
  return `[${umamiObjects(views)
    .map((row) => JSON.stringify(row))
    .join(", \n ")}]\n`;
}

/** As DuckDB 2.0 writes the line that the help shows, east of Greenwich. */
export function medamaCsv(views: readonly MadeView[]): string {
  const head =
    "bid,hostname,pathname,is_unique_user,is_unique_page,referrer_host,referrer_group,country,language_base," +
    "language_dialect,ua_browser,ua_os,ua_device_type,utm_source,utm_medium,utm_campaign,duration_ms,date_created,properties";
  const rows = views.flatMap((view, at) => {
    if (view.kind === "event") return [];
    const next = views.findLast(
      (event) => event.kind === "event" && event.visit === view.visit && event.timeMs === view.timeMs + 1_000,
    );
    const properties = next && JSON.stringify([{ t: next.timeMs, n: next.name, v: 'yes, "it" is' }]);
    const local = iso(view.timeMs + 7 * 3_600_000)
      .replace("T", " ")
      .replace(".000Z", "+07");
    const host = view.referrer === "" ? "" : new URL(view.referrer).host;
    return [
      [
        `b${at}`,
        madeHost,
        decoded(view.path),
        view.isUnique,
        view.isFirstOfPage,
        host,
        "",
        "Romania",
        "Romanian",
        "Romanian",
        "Firefox",
        "Linux",
        "Desktop",
        "",
        "",
        "",
        view.durationMs,
        local,
        properties ?? null,
      ],
    ];
  });
  return `${head}\n${csv(rows)}`;
}

const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const address = (person: number) => `203.0.113.${person}`;
const noEvents = (views: readonly MadeView[]) => views.filter(({ kind }) => kind === "view");

/** The time as Apache writes it, in a zone so many hours east; fewer than 0 are west. */
export function apacheTime(timeMs: number, hours = 0): string {
  const [date = "", time = ""] = iso(timeMs + hours * 3_600_000).split(/[T.]/);
  const [year, month, day] = date.split("-");
  const zone = `${hours < 0 ? "-" : "+"}${String(Math.abs(hours)).padStart(2, "0")}00`;
  return `${day}/${months[Number(month) - 1]}/${year}:${time} ${zone}`;
}

/** The path as a browser sends it. */
const sent = (path: string) => path.replaceAll('"', "%22");

/** The same page views in the access logs of servers, by the name of the format. */
export const madeLogs: Readonly<Record<string, (views: readonly MadeView[]) => string>> = {
  combined: (views) =>
    noEvents(views)
      .map(
        ({ timeMs, person, path, referrer }) =>
          `${address(person)} - - [${apacheTime(timeMs)}] "GET ${sent(path)} HTTP/1.1" 200 5 "${referrer || "-"}" "${userAgent}"rt=0.000\n`,
      )
      .join(""),
  vhost_combined: (views) =>
    noEvents(views)
      .map(({ timeMs, person, path, referrer }, at) => {
        const line = `${address(person)} - - [${apacheTime(timeMs)}] "GET ${sent(path)} HTTP/1.1" 200 5 "${referrer || "-"}" "${userAgent}"\n`;
        return `${at % 2 === 0 ? "www." : ""}${madeHost}:443 ${line}other.example:443 ${line}`;
      })
      .join(""),
  common: (views) =>
    noEvents(views)
      .map(
        ({ timeMs, person, path }) =>
          `${address(person)} - - [${apacheTime(timeMs)}] "GET ${sent(path)} HTTP/1.1" 200 5\n`,
      )
      .join(""),
  caddy: (views) =>
    noEvents(views)
      .map(({ timeMs, person, path, referrer }) => {
        const headers = { "User-Agent": [userAgent], ...(referrer !== "" && { Referer: [referrer] }) };
        const request = {
          remote_ip: "10.0.0.1",
          client_ip: address(person),
          proto: "HTTP/2.0",
          method: "GET",
          host: madeHost,
          uri: sent(path),
          headers,
        };
        const line = {
          level: "info",
          ts: timeMs / 1_000 + 0.25,
          logger: "http.log.access.log0",
          msg: "handled request",
          request,
          status: 200,
        };
        return `${JSON.stringify(line)}\n`;
      })
      .join(""),
  "nginx-json": (views) =>
    noEvents(views)
      .map(({ timeMs, person, path, referrer }) => {
        const line = {
          time_iso8601: iso(timeMs).replace(".000Z", "+00:00"),
          remote_addr: address(person),
          host: madeHost,
          request: `GET ${sent(path)} HTTP/1.1`,
          status: "200",
          http_referer: referrer,
          http_user_agent: userAgent,
        };
        return `${JSON.stringify(line)}\n`;
      })
      .join(""),
};
