/** A card about the course of visits: a title, rows, and what can be done. */
import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import { useHeld } from "../../lib/answer.ts";
import { utcDate } from "../../lib/texts/format.ts";
import { t } from "../../lib/texts/words.ts";
import { Incomparable } from "../../parts/tables/change.tsx";

interface CourseCardProps {
  readonly id: string;
  readonly title: string;
  readonly busy: boolean;
  /** The heading that is shown in place of the title, which only screen readers get then. */
  readonly head?: ComponentChildren;
  readonly foot?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function CourseCard({ id, title, busy, head, foot, children }: CourseCardProps) {
  const isIncomparable = useHeld(useContext(Incomparable), busy);
  return (
    <section class="card panel" aria-labelledby={`panel-${id}`}>
      <h2 id={`panel-${id}`} class={head === undefined ? "panel-title" : "visually-hidden"}>
        {title}
      </h2>
      {head}
      <div class="panel-rows" aria-busy={busy}>
        <Incomparable.Provider value={isIncomparable}>{children}</Incomparable.Provider>
      </div>
      {foot !== undefined && foot !== false && <footer class="panel-tools">{foot}</footer>}
    </section>
  );
}

/** Says from when on a card is, where earlier months have sums only. */
export function RowsFrom({ date }: { readonly date: string | undefined }) {
  return (
    date && (
      <p class="hint">
        {t("Earlier months have sums only: this is from {date} on.", { date: utcDate(date) })}
      </p>
    )
  );
}
