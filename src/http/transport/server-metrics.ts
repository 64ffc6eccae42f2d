/** Counts the requests of the server, and writes the text that a monitoring system reads. Nothing in it is personal. */
import { Refusal } from "../../core/refusal.ts";
import { rejectionReasons } from "../../core/rejection.ts";
import type { Peers } from "../../cluster/forwarding/peers.ts";
import type { Engine } from "../../engine/engine.ts";
import type { HitAnswer } from "../../engine/intake/hit-intake.ts";
import { Forwarded } from "./forwarded-response.ts";
import { Counter, gaugeLines, Histogram } from "../../lib/metrics.ts";

/** The media type of the text. */
export const metricsMedia = "text/plain; version=0.0.4; charset=utf-8";

/** Seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** They are there from the start, so that a rise from none is seen. */
const hitOutcomes = ["accepted", ...rejectionReasons, "malformed", "unknown_website", "error"];

/** A route of the table. */
interface MeasuredRoute {
  readonly method: string;
  readonly path: string;
  readonly access: string;
  readonly status?: number;
}

interface RouteLabels {
  readonly name: string;
  readonly kind: string;
}

export class ServerMetrics {
  private readonly labels = new Map<MeasuredRoute, RouteLabels>();
  private readonly hits = new Counter(
    {
      name: "footfall_hits_total",
      help: "Hits by what became of them: accepted, or why not",
      labels: ["outcome"],
    },
    hitOutcomes.map((outcome) => [outcome]),
  );
  private readonly requests = new Counter({
    name: "footfall_http_requests_total",
    help: "Requests by route and status",
    labels: ["route", "status"],
  });
  private readonly durations = new Histogram(
    {
      name: "footfall_http_request_duration_seconds",
      help: "Time to answer hits, questions about statistics, and other requests",
      label: "kind",
    },
    bounds,
  );

  constructor(
    private readonly engine: Engine,
    /** The commit of the build. */
    private readonly commit: string,
    private readonly cluster: Peers | undefined,
    private readonly moreLines: () => readonly string[] = () => [],
  ) {}

  /** Counts a request, and how long its answer took. */
  async measured<T>(route: MeasuredRoute, answer: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    const { clock } = this.engine;
    const begunMs = clock.monotonicMs();
    let status = route.status ?? 200;
    try {
      const value = await answer();
      if (value instanceof Forwarded) ({ status } = value.response);
      return value;
    } catch (error) {
      // A client that has gone got no answer at all: it is no failure of the server.
      status = error instanceof Refusal ? error.code : signal?.aborted ? 499 : 500;
      throw error;
    } finally {
      const { name, kind } = this.labelsOf(route);
      this.requests.add(name, String(status));
      this.durations.observe(kind, (clock.monotonicMs() - begunMs) / 1_000);
    }
  }

  private labelsOf(route: MeasuredRoute): RouteLabels {
    return this.labels.getOrInsertComputed(route, () => ({
      name: `${route.method} ${route.path.replace(/^\/api(?=\/)/, "")}`,
      kind: kindOf(route),
    }));
  }

  /** Counts what became of a hit; one that was refused is an error, and of the request too. */
  async hit(counting: Promise<HitAnswer>): Promise<HitAnswer> {
    try {
      const made = await counting;
      this.hits.add(made.accepted ? "accepted" : made.reason);
      return made;
    } catch (error) {
      const code = error instanceof Refusal ? error.code : 500;
      this.hits.add(code === 400 ? "malformed" : code === 404 ? "unknown_website" : "error");
      throw error;
    }
  }

  /** Counts the hit for which a batch was refused. */
  malformed(): void {
    this.hits.add("malformed");
  }

  /** `liveStreams`: those that are open. */
  text(liveStreams: number): string {
    const { registry } = this.engine;
    const health = this.engine.health();
    const gauge = (name: string, help: string, value: number) => gaugeLines({ name, help }, value);
    const lines = [
      ...gaugeLines({ name: "footfall_build_info", help: "Names the commit of the program" }, 1, {
        commit: this.commit,
      }),
      ...this.hits.lines(),
      ...this.requests.lines(),
      ...this.durations.lines(),
      ...gauge("footfall_websites", "Websites", registry.websites.size),
      ...gauge("footfall_accounts", "Accounts", registry.users.size),
      ...gauge("footfall_sessions", "Sessions of browsers that are logged in", registry.sessions.size),
      ...gauge("footfall_live_streams", "Open streams of current visitors", liveStreams),
      ...gauge("footfall_log_records", "Records of the log since the data folder began", health.records),
      ...(health.freeBytes === undefined
        ? []
        : gauge("footfall_disk_free_bytes", "Free space where the data is", health.freeBytes)),
      ...gauge(
        "footfall_takes_hits",
        "1 where hits are taken, 0 where the log cannot be written, the disk is nearly full, or the server stops",
        health.takesHits ? 1 : 0,
      ),
      ...gauge("footfall_unavailable_websites", "Websites with a damaged file", health.unavailableWebsites),
      ...this.engine.metricLines(),
      ...(this.cluster === undefined ? [] : clusterLines(this.cluster)),
      ...this.moreLines(),
      ...gauge("process_resident_memory_bytes", "Memory of the process", process.memoryUsage.rss()),
    ];
    return `${lines.join("\n")}\n`;
  }
}

function clusterLines({ node: { isSequencer, behindMs }, waitingCount }: Peers): string[] {
  const gauges = [
    ["footfall_sequencer", "1 on the node of the cluster that takes hits and changes", isSequencer ? 1 : 0],
    ["footfall_behind_seconds", "Time since this node last had all that is stored", behindMs / 1_000],
    ["footfall_forwarded_waiting", "Requests that wait for another node", waitingCount],
  ] as const;
  return gauges.flatMap(([name, help, value]) => gaugeLines({ name, help }, value));
}

function kindOf({ access, path }: MeasuredRoute): string {
  if (access === "reader") return "question";
  return /\/event\/(hit|pixel\.gif)$/.test(path) ? "hit" : "other";
}
