/** Which shade a country has on the map, and the way through the countries by keyboard. Figures only, no elements. */

/** What `/dashboard/world.json` holds; countries under their English names, as the API has them. */
export interface WorldOutlines {
  /** Of the SVG that the coordinates are meant for. */
  readonly viewBox: string;
  /** Path data. */
  readonly countries: Readonly<Record<string, string>>;
  /** Where to mark those whose outline is missing or too small to see. */
  readonly dots: Readonly<Record<string, readonly [x: number, y: number]>>;
}

/** Shades that differ by enough to be told apart; the strongest is the last. */
export const shadesMax = 5;

export interface Step {
  /** Visitors, both inclusive. */
  readonly from: number;
  readonly to: number;
  /** 1 to `shadesMax`. */
  readonly shade: number;
}

/**
 * Steps of visitors from 1 to the most that any country has, each about as many times the one before: a few countries
 * usually have nearly all visitors, and on an even scale the others would look alike. The bounds are round numbers.
 * Few visitors make fewer steps, with shades far apart; the one with the most always has the strongest.
 */
export function stepsOf(visitorsMax: number): readonly Step[] {
  if (visitorsMax < 1) return [];
  const bounds = [1];
  for (let step = 1; step < shadesMax; step++) {
    const bound = rounded(visitorsMax ** (step / shadesMax));
    if (bound > (bounds.at(-1) as number) && bound <= visitorsMax) bounds.push(bound);
  }
  const apart = (shadesMax - 1) / Math.max(1, bounds.length - 1);
  return bounds.map((from, at) => ({
    from,
    to: (bounds[at + 1] ?? visitorsMax + 1) - 1,
    shade: shadesMax - Math.round((bounds.length - 1 - at) * apart),
  }));
}

/** The nearest of 1, 2, 5, 10, 20, 50, ... by ratio. `value`: at least 1. */
function rounded(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const nearest = [1, 2, 5, 10].reduce((best, digit) => (error(digit) < error(best) ? digit : best));
  return nearest * power;

  function error(digit: number): number {
    return Math.abs(Math.log(digit * power) - Math.log(value));
  }
}

/** 0 for no visitors. */
export function shadeOf(steps: readonly Step[], visitors: number): number {
  return steps.findLast(({ from }) => visitors >= from)?.shade ?? 0;
}

/** Index that a key leads to from `index` of `length`; undefined for a key that leads nowhere. */
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
