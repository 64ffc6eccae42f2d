/**
 * What a second thread would bring: filtered questions that were never asked, to one desk in a Worker about all page
 * views, and to two desks at once about half of them each.
 */
import { openWorkerPort, type QuestionPort } from "../src/engine/question-port.ts";
import type { Question } from "../src/core/query.ts";
import { Site } from "../src/store/site.ts";
import { SiteTeller, transferable } from "../src/store/site-view.ts";
import { endMs, fillSite, pageViews, startMs } from "./data.ts";
import { inTurn, table } from "./measure.ts";

export interface ThreadsResult {
  readonly oneMs: number;
  readonly twoMs: number;
}

const [memoryBytes, derivedBytes] = [2 ** 28, 2 ** 26];

/** A desk that knows a website. */
class Asker {
  private readonly port: QuestionPort;
  private readonly teller: SiteTeller;
  private asked = 0;

  constructor(site: Site) {
    const cancelled = new Int32Array(new SharedArrayBuffer(4));
    this.port = openWorkerPort({ folder: "", memoryBytes, derivedBytes, cancelled });
    this.teller = new SiteTeller(site);
  }

  /** A list whose filters are always new. */
  async ask(): Promise<void> {
    const id = ++this.asked;
    const view = this.teller.next(() => {
      throw new Error("all rows are in memory");
    });
    const reply = await this.port.send({ kind: "ask", id, view, question: question(id) }, transferable(view));
    if (reply.answer === undefined) throw new Error(reply.failed ?? "the question was refused");
  }

  close(): void {
    this.port.close();
  }
}

function question(id: number): Question {
  return {
    list: "browsers",
    period: { startMs, endMs },
    filters: [
      { name: "browser", operator: "in", operands: ["Chrome", `none-${id}`] },
      { name: "country", operator: "eq", operands: ["Germany"] },
    ],
    limit: 100,
    offset: 0,
    summary: false,
    grouped: false,
    locale: false,
  };
}

export async function benchThreads(rows: number, runs: number): Promise<ThreadsResult> {
  const all = new Asker(siteOf(rows));
  const halves = [new Asker(siteOf(rows / 2)), new Asker(siteOf(rows / 2))];
  const [oneMs, twoMs] = (await inTurn(runs, [
    () => all.ask(),
    () => Promise.all(halves.map((half) => half.ask())),
  ])) as [number, number];
  for (const asker of [all, ...halves]) asker.close();
  return { oneMs, twoMs };
}

function siteOf(rows: number): Site {
  const site = new Site(1);
  fillSite(site, pageViews(rows));
  return site;
}

export function threadsTable({ oneMs, twoMs }: ThreadsResult): string {
  return table(["one thread ms", "two threads ms", "times faster"], [[oneMs, twoMs, oneMs / twoMs]]);
}
