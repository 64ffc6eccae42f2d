/** The shades of countries on the map, and the order of countries for the keyboard. Figures only, no elements. */

/** The content of `/dashboard/world.json`; countries are under their English names, as in the API. */
export interface WorldOutlines {
  /** The viewBox of the SVG for which the coordinates are meant. */
  readonly viewBox: string;
  /** Path data. */
  readonly countries: Readonly<Record<string, string>>;
  /** The positions of countries whose outline is missing or too small to see. */
  readonly dots: Readonly<Record<string, readonly [x: number, y: number]>>;
}

/** The number of shades that differ enough to be told apart; the strongest is the last. Exported for tests. */
export const shadesMax = 5;

export interface Step {
  /** Visitors, both inclusive. */
  readonly from: number;
  readonly to: number;
  /** 1 to `shadesMax`. */
  readonly shade: number;
}

/**
 * Returns steps of visitors from 1 to the most that any country has. Each is about the same multiple of the one before:
 * a few countries usually have nearly all visitors, and on an even scale the others would look alike. The bounds are
 * round numbers. Few visitors make fewer steps, with shades far apart; the country with the most visitors always has
 * the strongest shade.
 */
export function stepsOf(visitorsMax: number): readonly Step[] {
  if (visitorsMax < 1) return [];
  const bounds = [1];
  for (let step = 1; step < shadesMax; step++) {
    const bound = rounded(visitorsMax ** (step / shadesMax));
    if (bound > bounds.at(-1)! && bound <= visitorsMax) bounds.push(bound);
  }
  const apart = (shadesMax - 1) / Math.max(1, bounds.length - 1);
  return bounds.map((from, at) => ({
    from,
    to: (bounds[at + 1] ?? visitorsMax + 1) - 1,
    shade: shadesMax - Math.round((bounds.length - 1 - at) * apart),
  }));
}

/** Returns the nearest of 1, 2, 5, 10, 20, 50, ... by ratio. `value`: at least 1. */
function rounded(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const nearest = [1, 2, 5, 10].reduce((best, digit) => (error(digit) < error(best) ? digit : best));
  return nearest * power;

  function error(digit: number): number {
    return Math.abs(Math.log(digit * power) - Math.log(value));
  }
}

/** Returns the shade for a number of visitors; 0 for none. */
export function shadeOf(steps: readonly Step[], visitors: number): number {
  return steps.findLast(({ from }) => visitors >= from)?.shade ?? 0;
}

/** Returns the index to which a key leads from `index` of `length`; undefined for a key that leads nowhere. */
export function indexAfter(key: string, index: number, length: number): number | undefined {
  switch (key) {
    case "ArrowRight":
    case "ArrowDown":
      return Math.min(index + 1, length - 1);
    case "ArrowLeft":
    case "ArrowUp":
      return Math.max(index - 1, 0);
    case "Home":
      return 0;
    case "End":
      return length - 1;
    default:
      return undefined;
  }
}
