/** Formats figures, dates and durations for people, by Intl in the viewer's language. */

const whole = new Intl.NumberFormat();
const short = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });
const oneDecimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const share = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });
const wholeShare = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 0 });

export function count(value: number): string {
  return whole.format(value);
}

/** Returns a number such as 2.4, or 1,234.5. */
export function ratio(value: number): string {
  return oneDecimal.format(value);
}

/** Returns a count such as 1.2K or 3.4M. */
export function shortCount(value: number): string {
  return value < 10_000 ? whole.format(value) : short.format(value);
}

/** `value`: 0 to 100, or any number for a change. A value other than zero is never shown as zero. */
export function percent(value: number): string {
  if (value > 0 && value < 0.05) return `<${share.format(0.001)}`;
  return value !== 0 && Math.abs(value) < 10 ? share.format(value / 100) : wholeShare.format(value / 100);
}

/** Returns `ms` to the second, such as 45s, 2m 05s or 1h 03m. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${ms > 0 && seconds === 0 ? "<1" : seconds}s`;
  const minutes = Math.floor(seconds / 60);
  const two = (value: number) => String(value).padStart(2, "0");
  if (minutes < 60) return `${minutes}m ${two(seconds % 60)}s`;
  return `${count(Math.floor(minutes / 60))}h ${two(minutes % 60)}m`;
}

/** Returns the change from one figure to another in percent; undefined if it was 0 before and is not now. */
export function change(now: number, before: number): number | undefined {
  return before === 0 ? (now === 0 ? 0 : undefined) : ((now - before) / before) * 100;
}

/** Returns a change such as +12% or −3 points; percentages change by points. Undefined if counts have no `change`. */
export function changeText(now: number, before: number, points: boolean): string | undefined {
  const moved = points ? now - before : change(now, before);
  if (moved === undefined) return undefined;
  const rounded = Math.round(moved);
  const sign = rounded > 0 ? "+" : rounded < 0 ? "−" : "±";
  const size = Math.abs(rounded);
  return `${sign}${count(size)}${points ? (size === 1 ? " point" : " points") : "%"}`;
}

export function dateTime(ms: number, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(undefined, options).format(ms);
}
