/** The words and the bar with which commands report long work. */
import type { Clock } from "../../lib/clock.ts";
import type { Terminal } from "./terminal.ts";

const barCharacters = 30;
const refreshMs = 100;
const megabyte = 1_000_000;

/** Returns a function that shows a line to somebody who watches, at most ten times a second. */
export function nowAndThen(clock: Clock, terminal: Terminal): (line: () => string) => void {
  let shownMs = -Infinity;
  return (line) => {
    const nowMs = clock.monotonicMs();
    if (nowMs - shownMs < refreshMs) return;
    shownMs = nowMs;
    terminal.status(line());
  };
}

/** Returns the same for bytes: it gets how many are done, and how many there are. */
export function bytesNowAndThen(clock: Clock, terminal: Terminal): (done: number, total: number) => void {
  const show = nowAndThen(clock, terminal);
  return (done, total) => show(() => `${progressBar(done / total)}  ${megabytes(done)}`);
}

/** `share`: the part that is done, from 0 to 1. */
export function progressBar(share: number): string {
  const done = Math.min(1, share);
  const bar = "#".repeat(Math.round(done * barCharacters)).padEnd(barCharacters, ".");
  return `[${bar}] ${Math.floor(done * 100)} %`;
}

/** Returns a number of things in words. */
export function count(figure: number, noun: string): string {
  return `${figure.toLocaleString("en")} ${noun}${figure === 1 ? "" : "s"}`;
}

/** Returns a size in the unit that shows it: never 0 of what is more. */
export function megabytes(bytes: number): string {
  if (bytes < 1_000) return count(bytes, "byte");
  if (bytes < megabyte / 10)
    return `${(bytes / 1_000).toLocaleString("en", { maximumFractionDigits: 1 })} KB`;
  return `${(bytes / megabyte).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;
}
