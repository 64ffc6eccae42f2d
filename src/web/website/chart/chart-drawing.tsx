/** The parts of a chart in SVG: axes, lines or bars, and the mark of one interval. */
import {
  areaPath,
  barWidth,
  linePath,
  runsOf,
  xOf,
  yOf,
  type Plot,
  type Point,
} from "../../lib/drawing/scale.ts";
import type { Label } from "../../lib/drawing/time-axis.ts";

interface AxesProps {
  readonly plot: Plot;
  readonly ticks: readonly { readonly value: number; readonly text: string }[];
  readonly labels: readonly Label[];
}

export function Axes({ plot, ticks, labels }: AxesProps) {
  const { left, right, bottom } = plot;
  return (
    <g class="chart-axes">
      {ticks.map(({ value, text }) => {
        const y = yOf(plot, value);
        return (
          <g key={value}>
            <line class={value === 0 ? "chart-base" : "chart-grid"} x1={left} x2={right} y1={y} y2={y} />
            <text x={left} y={y} dx="-0.5em" dy="0.35em" text-anchor="end">
              {text}
            </text>
          </g>
        );
      })}
      {labels.map(({ text, x }) => (
        <text key={x} x={x} y={bottom} dy="1.5em" text-anchor="middle">
          {text}
        </text>
      ))}
    </g>
  );
}

interface SeriesProps {
  readonly plot: Plot;
  /** The values of the intervals that have begun. */
  readonly values: readonly (number | undefined)[];
  /** The indexes of those that are only parts of intervals, which are drawn as less sure. */
  readonly parts: readonly number[];
  readonly before: readonly (number | undefined)[] | undefined;
}

export function Series({ plot, values, parts, before = [] }: SeriesProps) {
  const runs = runsOf(plot, values);
  const earlier = runsOf(plot, before);
  const places = parts.map((at) => xOf(plot, at));
  const isWhole = ({ x }: Point) => !places.includes(x);
  if (plot.bars) return <Bars plot={plot} points={runs.flat()} isWhole={isWhole} before={earlier.flat()} />;
  const lines = (of: typeof runs) => of.map(linePath).join("");
  return (
    <g>
      <path class="chart-area" d={runs.map((run) => areaPath(run, plot.bottom)).join("")} />
      <path class="chart-before" d={lines(earlier)} />
      {/* The dashes are seen where the line leaves parts out. */}
      <path class="chart-line chart-running" d={lines(runs)} />
      <path class="chart-line" d={lines(runs.map((run) => run.filter(isWhole)))} />
      {runs.map(([first, second]) => first && !second && <Dot key={first.x} point={first} />)}
    </g>
  );
}

interface BarsProps {
  readonly plot: Plot;
  readonly points: readonly Point[];
  readonly isWhole: (point: Point) => boolean;
  readonly before: readonly Point[];
}

function Bars({ plot, points, isWhole, before }: BarsProps) {
  const width = barWidth(plot);
  const isSeen = ({ y }: Point) => y < plot.bottom;
  const bar = ({ x, y }: Point, name: string) => (
    <rect key={x} class={name} x={x - width / 2} y={y} width={width} height={plot.bottom - y} />
  );
  return (
    <g>
      {points
        .filter(isSeen)
        .map((point) => bar(point, isWhole(point) ? "chart-bar" : "chart-bar chart-running"))}
      {before.filter(isSeen).map(({ x, y }) => (
        <line key={x} class="chart-before" x1={x - width * 0.7} x2={x + width * 0.7} y1={y} y2={y} />
      ))}
    </g>
  );
}

function Dot({ point, name = "chart-dot" }: { readonly point: Point; readonly name?: string }) {
  return <circle class={name} cx={point.x} cy={point.y} r="4" />;
}

interface MarkerProps {
  readonly plot: Plot;
  readonly index: number;
  readonly value: number | undefined;
  readonly before: number | undefined;
}

export function Marker({ plot, index, value, before }: MarkerProps) {
  const x = xOf(plot, index);
  return (
    <g>
      <line class="chart-rule" x1={x} x2={x} y1={plot.top} y2={plot.bottom} />
      {before !== undefined && <Dot point={{ x, y: yOf(plot, before) }} name="chart-dot-before" />}
      {value !== undefined && <Dot point={{ x, y: yOf(plot, value) }} />}
    </g>
  );
}
