/** The parts of a chart in SVG: axes, lines or bars, and the mark of one interval. */
import {
  areaPath,
  barWidth,
  linePath,
  pointsOf,
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
  readonly values: readonly number[];
  /** Whether the last of them is not over yet, so that it is drawn as one that may still grow. */
  readonly running: boolean;
  readonly before: readonly number[] | undefined;
}

export function Series({ plot, values, running, before = [] }: SeriesProps) {
  const points = pointsOf(plot, values);
  const earlier = pointsOf(plot, before);
  if (plot.bars) return <Bars plot={plot} points={points} running={running} before={earlier} />;
  const [first] = points;
  const over = running ? points.slice(0, -1) : points;
  return (
    <g>
      <path class="chart-area" d={areaPath(points, plot.bottom)} />
      <path class="chart-before" d={linePath(earlier)} />
      <path class="chart-line" d={linePath(over)} />
      {running && <path class="chart-line chart-running" d={linePath(points.slice(-2))} />}
      {first !== undefined && points.length === 1 && <Dot point={first} />}
    </g>
  );
}

interface BarsProps {
  readonly plot: Plot;
  readonly points: readonly Point[];
  readonly running: boolean;
  readonly before: readonly Point[];
}

function Bars({ plot, points, running, before }: BarsProps) {
  const width = barWidth(plot);
  const bar = ({ x, y }: Point, name: string) => (
    <rect key={x} class={name} x={x - width / 2} y={y} width={width} height={plot.bottom - y} />
  );
  return (
    <g>
      {points.map((point, at) =>
        bar(point, running && at === points.length - 1 ? "chart-bar chart-running" : "chart-bar"),
      )}
      {before.map(({ x, y }) => (
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
  readonly value: number;
  readonly before: number | undefined;
}

export function Marker({ plot, index, value, before }: MarkerProps) {
  const x = xOf(plot, index);
  return (
    <g>
      <line class="chart-rule" x1={x} x2={x} y1={plot.top} y2={plot.bottom} />
      {before !== undefined && <Dot point={{ x, y: yOf(plot, before) }} name="chart-dot-before" />}
      <Dot point={{ x, y: yOf(plot, value) }} />
    </g>
  );
}
