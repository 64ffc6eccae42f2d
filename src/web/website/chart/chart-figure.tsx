/** The chart as a drawing as wide as its container. It follows the pointer and the keys. */
import type { RefObject } from "preact";
import { useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { NamedInterval } from "../../../core/questions/answer.ts";
import { asBars, textWidth, ticksOf, xOf, type Plot } from "../../lib/drawing/scale.ts";
import { timeLabels, type Label } from "../../lib/drawing/time-axis.ts";
import { DrawnFor } from "../../parts/drawn-for.tsx";
import { Axes, Marker, Series } from "./chart-drawing.tsx";
import { onChartKey, useChartPointer, type Shown } from "./chart-pointing.ts";
import { chartSummary, pointText, spoken, tickText, type Told } from "./chart-text.ts";
import { ChartTip } from "./chart-tip.tsx";
import { NoteMarks, type ChartNotes } from "./note-marks.tsx";
import { t } from "../../lib/texts/words.ts";

interface ChartFigureProps {
  readonly told: Told;
  /** All intervals of the period, including those to come. */
  readonly intervals: readonly NamedInterval[];
  readonly before: readonly NamedInterval[] | undefined;
  readonly zone: string;
  readonly onPick: ((date: string) => void) | undefined;
  readonly onNotes: ChartNotes["onOpen"] | undefined;
}

export function ChartFigure(props: ChartFigureProps) {
  const { told, before, onPick, onNotes } = props;
  const { begun } = told.course;
  const id = useId();
  const element = useRef<HTMLDivElement>(null);
  const layout = useLayout(element, props);
  const [shown, setShown] = useState<Shown>();
  const text = shown && pointText(told, shown.index, before?.[shown.index]);
  const pick = (index: number) => {
    const date = begun[index]?.date;
    if (date !== undefined) onPick?.(date);
  };
  const looking = { shown, setShown, among: begun.length, pick };
  return (
    <>
      <div
        ref={element}
        class="chart-figure"
        data-picks={onPick !== undefined}
        // Screen readers pass the arrow keys on only to an application.
        role="application"
        aria-roledescription={t("chart")}
        aria-label={useMemo(() => chartSummary(told), [told])}
        aria-describedby={id}
        tabIndex={0}
        onKeyDown={(event) => onChartKey(event, looking)}
        onBlur={() => setShown(undefined)}
        {...useChartPointer({ ...looking, element, plot: layout?.plot })}
      >
        {layout && <Drawing {...props} layout={layout} shown={text && shown} />}
        {layout && text && <ChartTip text={text} x={xOf(layout.plot, shown.index)} width={layout.width} />}
      </div>
      {layout && onNotes && (
        <NoteMarks notes={{ byInterval: told.notes, onOpen: onNotes }} plot={layout.plot} />
      )}
      <p id={id} hidden>
        {onPick
          ? t("Left and right arrow keys move through it, Enter shows the interval alone.")
          : t("Left and right arrow keys move through it.")}
      </p>
      <p class="visually-hidden" aria-live="polite">
        {shown?.byKey && text && spoken(text)}
      </p>
    </>
  );
}

interface DrawingProps extends ChartFigureProps {
  readonly layout: Layout;
  readonly shown: Shown | undefined;
}

function Drawing({ told, before, layout, shown }: DrawingProps) {
  const { figure, course, isPart } = told;
  const { plot, width, height } = layout;
  const valueOf = (row: NamedInterval) => row[figure.name];
  const still = () => (
    <>
      <Axes plot={plot} ticks={layout.ticks} labels={layout.labels} />
      <Series
        plot={plot}
        values={course.begun.map(valueOf)}
        parts={course.begun.flatMap(({ date }, at) => (isPart(date) ? at : []))}
        before={before?.map(valueOf)}
      />
    </>
  );
  const row = shown && course.begun[shown.index];
  const earlier = shown && before?.[shown.index];
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {/* A moving pointer draws only the mark again. */}
      <DrawnFor values={[layout]} draw={still} />
      {shown && row && (
        <Marker plot={plot} index={shown.index} value={valueOf(row)} before={earlier && valueOf(earlier)} />
      )}
    </svg>
  );
}

/** The size from the style, in pixels. */
interface Size {
  readonly width: number;
  readonly height: number;
  readonly fontPx: number;
}

interface Layout extends Size {
  readonly plot: Plot;
  readonly ticks: readonly { readonly value: number; readonly text: string }[];
  readonly labels: readonly Label[];
}

/** Returns the layout, again whenever the element's size changes; undefined until the size is known. */
function useLayout(element: RefObject<HTMLElement | null>, props: ChartFigureProps): Layout | undefined {
  const { told, intervals, before } = props;
  const [size, setSize] = useState<Size>();
  useLayoutEffect(() => {
    const measured = element.current;
    if (measured === null) return;
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = measured;
      setSize({ width, height, fontPx: parseFloat(getComputedStyle(measured).fontSize) });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(measured);
    return () => observer.disconnect();
  }, []);
  return useMemo(() => size && layoutOf(size, props), [size, told, intervals, before]);
}

function layoutOf(size: Size, { told, intervals, before = [], zone }: ChartFigureProps): Layout {
  const { width, height, fontPx } = size;
  const { course, figure, interval } = told;
  const { format, name } = figure;
  const highest = [...course.begun, ...before].reduce((max, row) => Math.max(max, row[name] ?? 0), 0);
  // The last line is never below the highest value, which can be read off then.
  const ticks = ticksOf(highest, format).map((value) => ({ value, text: tickText(format, value) }));
  const plot: Plot = {
    left: Math.max(...ticks.map(({ text }) => textWidth(text, fontPx))) + fontPx / 2,
    // Leaves room for half a dot.
    right: width - 6,
    top: fontPx,
    bottom: height - 2 * fontPx,
    count: intervals.length,
    bars: asBars(
      course.begun.map((row) => row[name]),
      intervals.length,
    ),
    max: Math.max(...ticks.map(({ value }) => value)),
  };
  const labels = timeLabels({
    dates: intervals.map(({ date }) => date),
    interval,
    zone,
    xOf: (index) => xOf(plot, index),
    width,
    fontPx,
  });
  return { ...size, ticks, plot, labels };
}
