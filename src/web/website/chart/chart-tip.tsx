/** The tooltip of one interval, beside it. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { tipPlace } from "../../lib/drawing/scale.ts";
import type { PointText } from "./chart-text.ts";

interface ChartTipProps {
  readonly text: PointText;
  /** The interval's position, in pixels from the left edge of the chart. */
  readonly x: number;
  /** The width of the chart in pixels. */
  readonly width: number;
}

/** Silent for screen readers: a live region speaks the same text. */
export function ChartTip({ text, x, width }: ChartTipProps) {
  const element = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0, above: 0 });
  useLayoutEffect(() => {
    const { offsetWidth = 0, offsetHeight = 0, offsetParent } = element.current ?? {};
    const above = offsetParent?.getBoundingClientRect().top ?? 0;
    setSize({ width: offsetWidth, height: offsetHeight, above });
  }, [text]);
  const { side, left } = tipPlace(x, size, width);
  const { name, figures, before, notes } = text;
  return (
    <div
      ref={element}
      class="tip chart-tip"
      aria-hidden="true"
      data-side={side}
      style={{ left: `${left}px` }}
    >
      <strong>{name}</strong>
      <dl>
        {figures.map(({ label, text: value, current }) => (
          <div key={label} data-current={current}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {before && (
          <div class="chart-tip-before">
            <dt>{before.name}</dt>
            <dd>
              {before.text}
              {before.change !== undefined && ` (${before.change})`}
            </dd>
          </div>
        )}
      </dl>
      {notes.map((note, at) => (
        <p key={at} class="chart-tip-note" dir="auto">
          {note}
        </p>
      ))}
    </div>
  );
}
