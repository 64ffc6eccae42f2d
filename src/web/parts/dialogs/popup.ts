/** Places a popover beside its anchor, inside the window: CSS anchors are not in every browser yet. */

const gap = 4;
/** If fewer pixels than this are free below, the popover opens above, if there is more room. */
const enough = 200;

export interface Room {
  /** Pixels from the top of the window. */
  readonly top: number;
  readonly bottom: number;
}

/**
 * Returns the side on which it opens, and its greatest height. `windowHeight`: the height that an on-screen keyboard
 * leaves of the window. Exported for tests.
 */
export function sideOf({ top, bottom }: Room, windowHeight: number): { below: boolean; height: number } {
  const below = windowHeight - bottom - 2 * gap;
  const above = top - 2 * gap;
  const fits = below >= enough || below >= above;
  return { below: fits, height: Math.max(0, fits ? below : above) };
}

/**
 * Places `popup`, which is shown, has `position: fixed`, and is as wide as its style says. The available height becomes
 * its `--room`.
 */
function place(popup: HTMLElement, anchor: Element): void {
  const room = anchor.getBoundingClientRect();
  const windowHeight = visualViewport?.height ?? innerHeight;
  // This width is without the gutter of the scroll bar.
  const windowWidth = document.documentElement.getBoundingClientRect().width;
  const { below, height } = sideOf(room, windowHeight);
  const toLeft = getComputedStyle(popup).direction === "rtl";
  const start = toLeft ? room.right - popup.offsetWidth : room.left;
  const left = Math.min(start, windowWidth - popup.offsetWidth - gap);
  popup.style.left = `${Math.max(gap, left)}px`;
  popup.style.setProperty("--room", `${height}px`);
  popup.style.top = below ? `${room.bottom + gap}px` : "auto";
  popup.style.bottom = below ? "auto" : `${innerHeight - room.top + gap}px`;
}

/** Keeps the popover in place while something scrolls, or it or the window gets another size. Returns a function that ends this. */
export function keepPlaced(popup: HTMLElement, anchor: Element): () => void {
  const again = () => place(popup, anchor);
  again();
  const ended = new AbortController();
  addEventListener("scroll", again, { capture: true, passive: true, signal: ended.signal });
  addEventListener("resize", again, { signal: ended.signal });
  visualViewport?.addEventListener("resize", again, { signal: ended.signal });
  // A frame later: what a place makes of its size would otherwise be told in the same one, which browsers call an error.
  const observer = new ResizeObserver(() => requestAnimationFrame(again));
  observer.observe(popup);
  return () => {
    ended.abort();
    observer.disconnect();
  };
}
