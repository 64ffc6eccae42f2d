/** The page views of visits in the order of time and against it, of chunks that overlap or not, against sorting them. */
import { expect, test } from "bun:test";
import { QueryContext } from "../../src/query/cache/context.ts";
import { blockRows } from "../../src/query/rows/block.ts";
import { walkByTime, type TimedRows } from "../../src/query/rows/views-by-time.ts";
import { VisitSet } from "../../src/query/rows/visit-numbers.ts";
import { Chunk } from "../../src/store/chunks/chunk.ts";
import { rowFlag } from "../../src/store/columns/row-flag.ts";
import { emptyColumns } from "../../src/store/columns/columns.ts";
import { Site } from "../../src/store/state/site.ts";
import { randomBySeed } from "../support/seed.ts";

const random = randomBySeed();
const upTo = (max: number) => Math.floor(random() * max);
const monthsMs = [Date.UTC(2026, 0), Date.UTC(2026, 1), Date.UTC(2026, 2)];
const paths = 7;
const visits = 50;
/** Milliseconds of a month in which something happens: few, so that many rows have the same. */
const spanMs = 12;

interface Row {
  readonly timeMs: number;
  readonly chunk: number;
  readonly row: number;
  readonly visit: number;
  readonly path: number;
  readonly flags: number;
}

/** Chunks of three months, numbered in any order of time. Some have several blocks, some are not sorted. */
function made(): { readonly site: Site; readonly rows: readonly Row[] } {
  const site = new Site(1);
  for (let path = 0; path < paths; path++) site.dictionaries[0]?.intern(`/${path}`);
  const rows: Row[] = [];
  const chunks = 1 + upTo(7);
  for (let number = 1; number <= chunks; number++) {
    const monthMs = monthsMs[upTo(monthsMs.length)]!;
    const count = 1 + upTo(random() < 0.1 ? 2 * blockRows : 300);
    const [fromMs, sorted] = [upTo(spanMs), random() < 0.7];
    const times = Array.from({ length: count }, () => fromMs + upTo(random() < 0.3 ? spanMs : 3));
    if (sorted) times.sort((a, b) => a - b);
    const columns = emptyColumns(count);
    times.forEach((time, row) => {
      const own = {
        timeMs: monthMs + time,
        visit: upTo(visits),
        path: upTo(paths),
        flags: random() < 0.1 ? rowFlag.bare : upTo(rowFlag.bare),
      };
      columns.time[row] = time;
      columns.visit[row] = own.visit;
      columns.ids.path.values[row] = own.path;
      columns.flags[row] = own.flags;
      rows.push({ ...own, chunk: number, row });
    });
    const bounds = [monthMs + Math.min(...times), monthMs + Math.max(...times), null, null];
    const head = { number, monthMs, rows: count, properties: 0, sorted, bounds };
    site.chunks.set(
      number,
      Chunk.mirrored(head, () => columns),
    );
  }
  return { site, rows };
}

test("page views of visits come by time, then by chunk and row, and with which of them are in the period", () => {
  for (let round = 0; round < 400; round++) {
    const { site, rows } = made();
    const chosen = new VisitSet();
    for (let visit = 1; visit < visits; visit++) if (random() < 0.5) chosen.add(visit);
    const edge = () => monthsMs[upTo(monthsMs.length)]! + upTo(2 * spanMs);
    const [startMs = 0, endMs = 0] = random() < 0.3 ? [-Infinity, Infinity] : [edge(), edge()].sort();
    const [aroundMs, isBackwards] = [upTo(spanMs), random() < 0.5];
    const seen: number[][] = [];
    const take = ({ visits: visitOf, paths: pathOf, flags, count, isIn }: TimedRows) => {
      const own = Array.from({ length: count }, (_, at) => [visitOf[at]!, pathOf[at]!, flags[at]!, isIn]);
      seen.push(...(isBackwards ? own.reverse() : own));
    };
    walkByTime(
      { visits: chosen, period: { startMs, endMs }, aroundMs, isBackwards, take },
      new QueryContext(site),
    );
    const views = seen.filter(([, , flags = 0]) => !(flags & rowFlag.bare));
    const expected = rows
      .filter(({ visit, flags }) => chosen.has(visit) && !(flags & rowFlag.bare))
      .filter(({ timeMs }) => timeMs >= startMs - aroundMs && timeMs <= endMs + aroundMs)
      .sort((a, b) => a.timeMs - b.timeMs || a.chunk - b.chunk || a.row - b.row)
      .map(({ timeMs, visit, path }) => [visit, path, Number(timeMs >= startMs && timeMs <= endMs)]);
    expect(views.map(([visit, path, , isIn]) => [visit, path, isIn])).toEqual(
      isBackwards ? expected.reverse() : expected,
    );
  }
});

test("a chunk with rows before and after those of others is read where it lies, as they are", () => {
  const site = new Site(1);
  site.dictionaries[0]?.intern("/");
  const [monthMs = 0] = monthsMs;
  const columnsOf = (times: readonly number[]) => {
    const columns = emptyColumns(times.length);
    columns.time.set(times);
    columns.visit.fill(1);
    columns.flags.fill(rowFlag.bare);
    return columns;
  };
  for (const [number, times] of [
    [1, [0, 1, 8, 9]],
    [2, [2, 3]],
    [3, [4, 5]],
  ] as const) {
    const bounds = [monthMs + times[0], monthMs + times.at(-1)!, null, null];
    const head = { number, monthMs, rows: times.length, properties: 0, sorted: true, bounds };
    site.chunks.set(
      number,
      Chunk.mirrored(head, () => columnsOf(times)),
    );
  }
  const [visits, context] = [new VisitSet(), new QueryContext(site)];
  visits.add(1);
  const counts: number[] = [];
  const take = ({ count, isIn }: TimedRows) => void counts.push(isIn * count);
  const period = { startMs: monthMs + 1, endMs: monthMs + 8 };
  walkByTime({ visits, period, aroundMs: 0, isBackwards: false, take }, context);
  // Rows that are no page views come only where nothing is put in order.
  expect(counts.filter((count) => count > 0)).toEqual([1, 2, 2, 1]);
  expect(context.rowsRead).toBe(6);
});
