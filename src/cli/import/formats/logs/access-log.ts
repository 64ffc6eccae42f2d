/**
 * Access logs: which of their lines are page views, and whose. All formats of logs share this; how a line is written, each
 * says itself. One address with one user agent is one visitor. The website's rules are asked here: later there is no address.
 */
import { hostPathOf } from "../../../../collect/aliased.ts";
import { bareHost } from "../../../../core/addresses/referrer.ts";
import { parseUrl } from "../../../../core/addresses/url.ts";
import { noRules } from "../../../../core/website/rules.ts";
import { noPastProperties } from "../../../../record/record.ts";
import type { Format, Reader, ReaderContext, Reading } from "../format.ts";
import { isPublic, type LogLine } from "./log-line.ts";
import { whyNoPageView } from "./page-view.ts";

interface LogFormat extends Pick<Format, "name" | "description" | "example"> {
  /** Returns undefined for a line that is none of this format. */
  parse(text: string): LogLine | undefined;
  /** Whether a line that can be read is not one of another format too. */
  isOwn?(text: string): boolean;
}

export function accessLog({ parse, isOwn = () => true, ...named }: LogFormat): Format {
  return {
    ...named,
    unit: "line",
    hasEvents: false,
    recognises: (lines) => lines.some((line) => isOwn(line) && parse(line) !== undefined),
    timeOf: (line) => parse(line)?.time.timeMs,
    open: (context) => new LogReader(parse, context),
  };
}

/** Proxies and containers in front of a server are few; more addresses of a private network are those of people. */
const proxiesMax = 3;

class LogReader implements Reader {
  private views = 0;
  /** The page views of addresses that are not public, until there are too many addresses. */
  private readonly unlikely = new Map<string, number>();

  constructor(
    private readonly parse: LogFormat["parse"],
    private readonly context: ReaderContext,
  ) {}

  get proxyAddress(): string | undefined {
    const { unlikely } = this;
    const [most] = [...unlikely].toSorted(([, a], [, b]) => b - a);
    if (most === undefined || unlikely.size > proxiesMax) return undefined;
    const views = [...unlikely.values()].reduce((sum, each) => sum + each, 0);
    return views > this.views / 2 ? most[0] : undefined;
  }

  read(text: string): Reading {
    const line = this.parse(text);
    if (line === undefined) return "unreadable";
    const reason = whyNoPageView(line);
    if (reason !== undefined) return reason;
    const { collector, hostname, rules = noRules, aliases = [] } = this.context;
    const url = urlOf(line, hostname);
    if (url === undefined) return "host";
    const { referrer, userAgent, address, acceptLanguage } = line;
    const hostPath = hostPathOf(bareHost(line.hostname || hostname), aliases);
    const read = { url, hostPath, referrer, userAgent, acceptLanguage, address };
    const view = collector.pastView(read, hostname, rules);
    if (view === undefined) return "unreadable";
    if (typeof view === "string") return view;
    this.note(address);
    return {
      kind: "view",
      ...line.time,
      hostname: line.hostname,
      ...view,
      visitor: `${address}\n${userAgent ?? ""}`,
      visit: "",
      isUnderWay: false,
      flags: undefined,
      visibleMs: null,
      properties: noPastProperties,
    };
  }

  private note(address: string): void {
    const { unlikely } = this;
    this.views++;
    if (unlikely.size <= proxiesMax && !isPublic(address))
      unlikely.set(address, (unlikely.get(address) ?? 0) + 1);
  }
}

/** Returns the URL of a line; undefined for a proxy request to another host. */
function urlOf({ target }: LogLine, hostname: string): string | undefined {
  if (target.startsWith("/")) return `http://${hostname}${target}`;
  const url = parseUrl(target);
  return url !== null && bareHost(url.hostname) === bareHost(hostname) ? target : undefined;
}
