/** Puts a popover beside what it belongs to, inside the window: CSS anchors are not in every browser yet. */

const gap = 4;
/** So much of a list has to be seen below; else it opens above, where there is more room. */
const enough = 200;

export interface Room {
  /** Pixels from the top of the window. */
  readonly top: number;
  readonly bottom: number;
}

/** Where it opens, and how high it may be. `windowHeight`: what a keyboard on the screen leaves of it. */
export function sideOf({ top, bottom }: Room, windowHeight: number): { below: boolean; height: number } {
  const below = windowHeight - bottom - 2 * gap;
  const above = top - 2 * gap;
  const fits = below >= enough || below >= above;
  return { below: fits, height: Math.max(0, fits ? below : above) };
}

/** `popup` is shown, has `position: fixed`, and is as wide as its style says; it gets the height there is as `--room`. */
export function place(popup: HTMLElement, anchor: Element): void {
  const room = anchor.getBoundingClientRect();
  const windowHeight = visualViewport?.height ?? innerHeight;
  // Without the gutter of the scroll bar.
  const windowWidth = document.documentElement.getBoundingClientRect().width;
  const { below, height } = sideOf(room, windowHeight);
  const left = Math.min(room.left, windowWidth - popup.offsetWidth - gap);
  popup.style.left = `${Math.max(gap, left)}px`;
  popup.style.setProperty("--room", `${height}px`);
  popup.style.top = below ? `${room.bottom + gap}px` : "auto";
  popup.style.bottom = below ? "auto" : `${innerHeight - room.top + gap}px`;
}

/** Keeps it there while something scrolls or the window changes. Gives back what ends it. */
export function keepPlaced(popup: HTMLElement, anchor: Element): () => void {
  const again = () => place(popup, anchor);
  again();
  const ended = new AbortController();
  addEventListener("scroll", again, { capture: true, passive: true, signal: ended.signal });
  addEventListener("resize", again, { signal: ended.signal });
  visualViewport?.addEventListener("resize", again, { signal: ended.signal });
  return () => ended.abort();
}
