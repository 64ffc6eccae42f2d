/** A small line of a few values without axes, which shows the trend and not the figures. */
import { areaPath, linePath, pointsOf, type Plot } from "../../lib/drawing/scale.ts";

const width = 120;
const height = 32;
/** Half of the stroke, and of the dot of a single value. */
const margin = 2;

interface SparklineProps {
  /** The values, oldest first; 0 is the lower edge. */
  readonly values: readonly number[];
  /** The meaning of the values, and what a person would see in them. */
  readonly label: string;
}

export function Sparkline({ values, label }: SparklineProps) {
  // A single value is drawn as a line too: as long as the others, at its height.
  const drawn = values.length === 1 ? [...values, ...values] : values;
  const plot: Plot = {
    left: margin,
    right: width - margin,
    top: margin,
    bottom: height - margin,
    count: drawn.length,
    bars: false,
    max: Math.max(1, ...drawn),
  };
  const points = pointsOf(plot, drawn);
  return (
    <svg class="sparkline" role="img" aria-label={label} viewBox={`0 0 ${width} ${height}`}>
      <path class="chart-area" d={areaPath(points, plot.bottom)} />
      <path class="chart-line" d={linePath(points)} />
    </svg>
  );
}
