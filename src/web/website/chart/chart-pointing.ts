/** The interval of a chart that a person looks at, by mouse, touch or keyboard. */
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { indexAfterKey, indexAt, type Plot } from "../../lib/drawing/scale.ts";

export interface Shown {
  readonly index: number;
  /** Whether the keyboard chose it. Only then it is spoken: a pointer passes over many. */
  readonly byKey: boolean;
}

interface Looking {
  readonly shown: Shown | undefined;
  readonly setShown: (shown: Shown | undefined) => void;
  /** The number of intervals that can be looked at, from the first. */
  readonly among: number;
  readonly pick: (index: number) => void;
}

export function onChartKey(event: KeyboardEvent, { shown, setShown, among, pick }: Looking): void {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const index = indexAfterKey(event.key, shown?.index, among);
  if (index !== undefined) setShown({ index, byKey: true });
  else if (shown !== undefined && event.key === "Escape") setShown(undefined);
  else if (shown !== undefined && event.key === "Enter") pick(shown.index);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

interface Pointing extends Looking {
  readonly element: RefObject<HTMLElement | null>;
  /** Undefined until the chart has a size. */
  readonly plot: Plot | undefined;
}

/**
 * Returns the handlers. A mouse shows the interval under it and picks it by a click; a finger shows it first and picks
 * it by a second tap.
 */
export function useChartPointer({ element, plot, among, shown, setShown, pick }: Pointing) {
  const press = useRef<{ touch: boolean; before: number | undefined }>(undefined);
  const at = (event: MouseEvent): number | undefined => {
    const left = element.current?.getBoundingClientRect().left ?? 0;
    return plot === undefined || among === 0 ? undefined : indexAt(plot, event.clientX - left, among);
  };
  const show = (event: MouseEvent) => {
    const index = at(event);
    if (index !== undefined && (index !== shown?.index || shown.byKey)) setShown({ index, byKey: false });
  };
  const hide = () => setShown(undefined);
  useEffect(() => {
    if (shown === undefined) return;
    const outside = (event: PointerEvent) => {
      if (!element.current?.contains(event.target as Node)) hide();
    };
    addEventListener("pointerdown", outside);
    return () => removeEventListener("pointerdown", outside);
  }, [shown === undefined]);
  return {
    onPointerDown: (event: PointerEvent) => {
      press.current = { touch: event.pointerType === "touch", before: shown?.index };
      show(event);
    },
    onPointerMove: show,
    // A lifted finger leaves the chart too, but the person still reads what it pointed at.
    onPointerLeave: (event: PointerEvent) => {
      if (event.pointerType !== "touch") hide();
    },
    // The finger is scrolling the page.
    onPointerCancel: hide,
    onClick: (event: MouseEvent) => {
      const index = at(event);
      if (index !== undefined && (!press.current?.touch || press.current.before === index)) pick(index);
    },
  };
}
