/** The change of a figure since another period. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { changeText } from "../../lib/texts/format.ts";
import type { Figure } from "../../lib/texts/metric.ts";
import { narrow } from "../../lib/narrow.ts";
import { t } from "../../lib/texts/words.ts";

interface ChangeProps {
  readonly figure: Pick<Figure, "format" | "write" | "lessIsBetter">;
  readonly now: number | undefined;
  readonly before: number | undefined;
  /** Whether the figure of the other period stands beside it; else it is the title. */
  readonly from?: boolean;
}

/** Whether the figures begin within the other period: a change would say nothing of the website. */
export const Incomparable = createContext(false);

/** Keeps the place of a change whose figures are not there yet. */
export function ChangePlace() {
  return (
    <span class="change" aria-hidden="true">
      {"\u00a0"}
    </span>
  );
}

/**
 * A percentage changes by points, a count by percent. A figure that is missing, was 0 before, or cannot be
 * compared has no change.
 */
export function Change({ figure, now, before, from = false }: ChangeProps) {
  const isIncomparable = useContext(Incomparable);
  if (isIncomparable || now === undefined || before === undefined) return null;
  const moved = changeText(now, before, figure.format);
  if (moved === undefined) return null;
  const was = t("from {figure}", { figure: figure.write(before, narrow.value) });
  const better = figure.lessIsBetter ? now < before : now > before;
  const tone = moved.startsWith("±") ? "same" : better ? "better" : "worse";
  return (
    <span class="change" data-tone={tone} title={from ? undefined : was}>
      {moved} {from && <span class="weak">{was}</span>}
    </span>
  );
}
