/**
 * The server without a socket meets whatever comes, at once and in any order: hits that are odd or right, batches, every
 * operation of its API, moments and days that pass, a clock that is set, and starts after a stop or a power cut, with
 * other limits each. After each turn the state is sound, no answer was a 500, and a website has as many page views more
 * as loads were answered `accepted: true`. After a start all is as it was. `FOOTFALL_SEED` repeats a run, and
 * `FOOTFALL_ROUNDS` makes it longer.
 */
import { expect, test } from "bun:test";
import { parseHit } from "../src/collect/hit.ts";
import { Registry } from "../src/accounts/registry/registry.ts";
import { State } from "../src/engine/checkpoint/state.ts";
import { dumpLines } from "../src/engine/dump.ts";
import { digestOf } from "../src/engine/log/state-digest.ts";
import type { RunningEngine } from "../src/engine/running.ts";
import { asLogged } from "../src/record/codec.ts";
import { Beacons } from "../src/store/beacons/beacons.ts";
import { Store } from "../src/store/state/store.ts";
import { isPageView } from "../src/store/columns/row-flag.ts";
import { isInShape } from "./siege/fuzz.ts";
import { fuzzedBody } from "./siege/hit-fuzz.ts";
import { siegeHostname } from "./siege/attack.ts";
import { oddText, Picker } from "./siege/odd-values.ts";
import { badRequest, goodRequest, operationsOf, type OpenApi, type Operation } from "./siege/operations.ts";
import type { Hints } from "./siege/schema.ts";
import { dumpOf } from "./support/dump.ts";
import { TestClock } from "./support/clock.ts";
import { TestServer } from "./support/http.ts";
import { MemoryDisk } from "./support/memory-disk.ts";
import { randomFrom } from "./support/random.ts";
import { rounds } from "./support/rounds.ts";
import { seed } from "./support/seed.ts";

const hostnames = [siegeHostname, "other.example", "example.com"];
/** They end the session or the account that all others need, never end, or are those that are made here. */
const leftOut = new Set(
  ["post-auth-logout", "post-auth-login", "patch-user", "delete-user", "delete-user-sessions-by-id"].concat(
    ["post-setup", "get-website-by-hostname-live", "post-event-hit", "post-event-batch"],
    "delete-user-tokens-by-id",
  ),
);
/** They change how many page views a website has, or which one a hostname is of. */
const recounting = new Set(
  ["post-website-by-hostname-purge", "post-website-by-hostname-import", "get-event-pixel-gif"].concat([
    "post-websites",
    "patch-websites-by-hostname",
    "delete-websites-by-hostname",
  ]),
);

/** The server gives up the ones that take longest if there are more. */
const batchesAtOnceMax = 16;

class World {
  private readonly picker: Picker;
  private readonly clock = new TestClock();
  private disk = new MemoryDisk();
  private server!: TestServer;
  private session = "";
  private token = "";
  private operations: readonly Operation[] = [];
  private sent = 0;
  /** Ids that answers have named. */
  private ids: string[] = ["1"];
  /** The websites of the page loads that were accepted in this turn. */
  private loads: number[] = [];
  /** Something in this turn changed the page views of a website otherwise. */
  private isRecounted = false;
  private batches = 0;
  readonly accepted = new Map<string, number>();
  /** Like a node of a cluster it has only what is read from the log. */
  private follower: State | undefined;

  /** `reduces`: months give up their rows, whose files the follower would not have. */
  constructor(
    seed: number,
    private readonly reduces: boolean,
  ) {
    this.picker = new Picker(randomFrom(seed));
  }

  private get engine(): RunningEngine {
    return this.server.engine as RunningEngine;
  }

  async begin(): Promise<void> {
    await this.open();
    this.session = await this.server.prepare();
    const answer = await this.ask("POST", "/user/tokens", { name: "app", scope: "send" });
    this.token = ((await answer.json()) as { token: string }).token;
    const document = (await (await this.ask("GET", "/openapi.json")).json()) as OpenApi;
    this.operations = operationsOf(document).filter(({ id }) => !leftOut.has(id));
  }

  /** All that comes before anything of it is answered. */
  async turn(): Promise<void> {
    const { picker } = this;
    for (const hostname of hostnames) await this.ask("POST", "/websites", { hostname });
    const before = this.pageviews();
    this.loads = [];
    this.batches = 0;
    this.isRecounted = false;
    const many = picker.chance(0.05) ? 200 : picker.of([1, 2, 5, 20]);
    await Promise.all(Array.from({ length: many }, () => this.some()));
    this.engine.check();
    if (!this.isRecounted) this.compare(before);
    this.pass();
    if (picker.chance(0.04)) await this.restart();
  }

  async end(): Promise<void> {
    await this.restart();
    await this.engine.stop();
  }

  /** Starts a server, and has the other state follow it by what is read from the log. */
  private async open(): Promise<void> {
    const { picker, disk } = this;
    this.server = await TestServer.open({
      disk,
      clock: this.clock,
      smallRows: picker.of([0, 50, Infinity]),
      loadsPerNetwork: picker.of([1, 100, Infinity]),
      engine: {
        checkpointRecords: picker.of([20, 300, 100_000]),
        memoryBytes: picker.of([1_000_000, 64_000_000, Infinity]),
        nameBytes: picker.of([2_000, 100_000, Infinity]),
        retentionMonths: picker.of([undefined, 1]),
        ...(this.reduces && { rowsMonths: picker.of([undefined, 0]) }),
      },
    });
    const state = this.engine["state"];
    const apply = state.apply.bind(state);
    // Records name names by the hash of the folder.
    const follower = (this.follower ??= new State(
      new Registry(),
      new Store(new Beacons(state.store.beacons["seed"])),
    ));
    state.apply = (record) => {
      if (!this.reduces && this.disk === disk) follower.apply(asLogged(record));
      return apply(record);
    };
  }

  private some(): Promise<void> {
    const ways = [() => this.hit(), () => this.batch(), () => this.operation(), () => this.upkeep()];
    return ways[this.picker.weighted([80, 5, 14.5, 0.5])]!();
  }

  private async hit(): Promise<void> {
    const { headers, body } = fuzzedBody(this.picker, this.sent++);
    const named = headers.map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string]);
    const address = this.picker.chance(0.5) ? [["x-forwarded-for", this.address()] as [string, string]] : [];
    const answer = await this.server.fetch(
      new Request("http://localhost/event/hit", { method: "POST", headers: [...named, ...address], body }),
    );
    const text = await answer.text();
    const head = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
    if (!isInShape(head, answer.status, text)) throw new Error(`${body} was answered ${head}\n${text}`);
    if (text === '{"accepted":true}') this.note(JSON.parse(new TextDecoder().decode(body)));
  }

  /** Notes an accepted hit. */
  private note(sent: unknown): void {
    const hit = parseHit(sent);
    this.accepted.set(hit.kind, (this.accepted.get(hit.kind) ?? 0) + 1);
    if (hit.kind === "load")
      this.loads.push(this.engine.registry.websiteForHit(hit.hostname)?.websiteId ?? 0);
  }

  private async batch(): Promise<void> {
    const { picker } = this;
    if (++this.batches > batchesAtOnceMax) return;
    const hits = Array.from({ length: picker.of([1, 3, 120]) }, () => {
      const { body, isGoodLoad } = fuzzedBody(picker, this.sent++);
      try {
        const hit: unknown = JSON.parse(body.toString());
        parseHit(hit);
        return {
          ...(hit as object),
          ...(isGoodLoad || picker.chance(0.8) ? this.visitor() : this.oddVisitor()),
        };
      } catch {
        return {};
      }
    }).filter((hit) => Object.keys(hit).length > 0);
    const body = JSON.stringify({ hits: picker.chance(0.02) ? [...hits, 1] : hits });
    const headers = { authorization: `Bearer ${this.token}` };
    const answer = await this.server.ask("POST", "/event/batch", { body, headers });
    const text = await answer.text();
    if (![200, 400].includes(answer.status)) throw new Error(`${body} was answered ${answer.status} ${text}`);
    if (answer.status !== 200) return;
    const answers = (JSON.parse(text) as { hits: { accepted: boolean }[] }).hits;
    answers.forEach(({ accepted }, at) => accepted && this.note(hits[at]));
  }

  private visitor() {
    const { picker } = this;
    const backMs = picker.of([0, 1_000, 60_000, 86_400_000, 6 * 86_400_000]) + picker.below(40_000_000);
    return {
      user_agent: picker.of([
        "",
        "curl/8.0",
        "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
      ]),
      address: this.address(),
      ...(picker.chance(0.6) && { time: new Date(this.clock.nowMs() - backMs).toISOString() }),
    };
  }

  private oddVisitor() {
    const odd = () => oddText(this.picker);
    return { [this.picker.of(["time", "user_agent", "language", "address"])]: odd() };
  }

  private address(): string {
    return `203.0.${this.picker.below(20)}.${this.picker.below(3)}`;
  }

  private async operation(): Promise<void> {
    const { picker } = this;
    const operation = picker.of(this.operations);
    // Websites and accounts that go take all with them: seldom.
    if (operation.id === "delete-websites-by-hostname" && picker.chance(0.9)) return;
    const request = picker.chance(0.8)
      ? goodRequest(operation, picker, this.hints())
      : badRequest(operation, picker, this.hints());
    if (recounting.has(operation.id)) this.isRecounted = true;
    const answer = await this.server.ask(request.method, request.path, {
      cookie: this.session,
      ...(request.body !== undefined && { body: request.body }),
    });
    // A file whose website goes meanwhile is cut off.
    const text = await answer.text().catch(() => "");
    const isKnown = operation.answers.has(answer.status);
    // Who asks for too much at once is told when to ask again.
    const isLater = answer.status === 500 && answer.headers.has("retry-after");
    if ((answer.status === 500 && !isLater) || !isKnown)
      throw new Error(
        `${request.method} ${request.path} ${request.body} was answered ${answer.status} ${text}`,
      );
    for (const [, id] of text.matchAll(/"id":"?([^",}]+)/g)) this.ids.push(id as string);
    this.ids = this.ids.slice(-50);
  }

  private async upkeep(): Promise<void> {
    const { retention, reduction, folding } = this.engine["intake"]["upkeep"]!;
    this.isRecounted = true;
    await Promise.all([retention?.round(), reduction?.round(), folding.round()]);
  }

  private hints(): Hints {
    const hostname = (picker: Picker) =>
      picker.chance(0.9) ? picker.of(hostnames) : picker.of(["www.siege.example", "new.example"]);
    return {
      hostname,
      "body.hostname": hostname,
      id: (picker) => picker.of(this.ids),
      username: () => "Ada",
      "body.username": () => "Ada",
      "body.paths": (picker) => picker.of([[], ["/page-1*"], ["/page-7"]]),
      "body.blocked_paths": (picker) => picker.of([[], ["/page-1*"], ["/page-7"]]),
      "body.filters": (picker) => picker.of(["path[eq]=%2Fpage-3", "country[eq]=Germany", ""]),
      start: (picker) => new Date(this.clock.nowMs() - picker.below(9 * 86_400_000)).toISOString(),
      end: (picker) => new Date(this.clock.nowMs() - picker.below(86_400_000)).toISOString(),
      path: (picker) => ({ [picker.of(["eq", "contains", "neq"])]: `/page-${picker.below(50)}` }),
    };
  }

  private ask(method: string, path: string, body?: unknown): Promise<Response> {
    return this.server.ask(method, path, { cookie: this.session, ...(body !== undefined && { body }) });
  }

  /** A website has what it had and what was accepted, and nothing else. */
  private compare(before: ReadonlyMap<number, number>): void {
    const more = Map.groupBy(this.loads, (websiteId) => websiteId);
    const expected = [...before].map(([id, count]): [number, number] => [
      id,
      count + (more.get(id)?.length ?? 0),
    ]);
    expect([...this.pageviews()]).toEqual(expected);
  }

  /** The page views of each website. */
  private pageviews(): Map<number, number> {
    const ids = [...this.engine.registry.websites.keys()];
    return new Map(ids.map((websiteId) => [websiteId, this.pageviewsOf(websiteId)]));
  }

  private pageviewsOf(websiteId: number): number {
    let count = 0;
    for (const chunk of this.engine.site(websiteId)?.chunks.values() ?? [])
      for (let row = 0; row < chunk.rows; row++) count += isPageView(chunk.flags[row]!);
    return count;
  }

  private pass(): void {
    const { picker, clock } = this;
    const kind = picker.weighted([60, 25, 8, 4, 1, 2]);
    if (kind === 5) clock.set(clock.nowMs() + picker.of([-7_200_000, -1_000, 3_600_000]));
    else
      clock.advance([picker.below(3_000), 60_000, 900_000, 25 * 3_600_000, 20 * 86_400_000][kind] as number);
  }

  private async restart(): Promise<void> {
    const { picker, engine } = this;
    const isCut = picker.chance(0.5);
    // Records that the old server still logs after a power cut are nowhere.
    if (isCut) this.disk = this.disk.crash(picker.random);
    else await engine.stop();
    const [lines, digest] = this.told();
    expect(dumpOf(this.disk)).toEqual(lines);
    if (!this.reduces) expect([...dumpLines(this.follower as State)]).toEqual(lines);
    if (isCut) await engine.stop();
    await this.open();
    if (!isCut) expect(this.told()).toEqual([lines, digest]);
  }

  private told(): [string[], number | undefined] {
    return [[...dumpLines(this.engine["state"])], digestOf(this.engine["state"], this.engine.appliedSeq)];
  }
}

for (let world = 1; world <= rounds(10, 2); world++)
  test(`whatever comes to server ${world} leaves it sound`, async () => {
    const own = new World(seed() + world, world % 2 === 0);
    await own.begin();
    for (let turn = 0; turn < 150; turn++) await own.turn();
    await own.end();
    for (const kind of ["load", "unload", "event"]) expect(own.accepted.get(kind)).toBeGreaterThan(20);
  });
