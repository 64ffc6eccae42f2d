/** The menu of segments: saves the filters of now under a name, shows others that were saved, and removes them. */
import { useState } from "preact/hooks";
import type { Segment } from "../../../core/website/segment.ts";
import { useAnswer } from "../../lib/answer.ts";
import { isolated, label } from "../../../core/questions/label.ts";
import { questionHref, type Question } from "../../lib/question/question.ts";
import { filtersIn, segmentsPath, writtenFilters } from "../../lib/question/segments.ts";
import { may } from "../../lib/question/view-href.ts";
import { filterText } from "../../lib/question/value-text.ts";
import { SavedMenu, type SavedEntry } from "../../parts/dialogs/saved-menu.tsx";
import { onDemand } from "../../parts/on-demand.tsx";
import { t } from "../../lib/texts/words.ts";

const SegmentForm = onDemand(async () => (await import("./segment-dialogs.tsx")).SegmentForm);
const SegmentRemoval = onDemand(async () => (await import("./segment-dialogs.tsx")).SegmentRemoval);

interface SegmentMenuProps {
  readonly question: Question;
}

/** Shows the saved segments; nothing while there is nothing to save and nothing saved. */
export function SegmentMenu({ question }: SegmentMenuProps) {
  const { data = [] } = useAnswer<readonly Segment[]>(segmentsPath(question));
  const [open, setOpen] = useState<"new" | SavedEntry>();
  const mayChange = may(question, "editor");
  if (data.length === 0 && (question.filters.length === 0 || !mayChange)) return null;
  const entries = data.map((segment) => entryOf(segment, question));
  const chosen = entries.find(({ isShown }) => isShown);
  const isUnsaved = mayChange && question.filters.length > 0 && chosen === undefined;
  const close = () => setOpen(undefined);
  return (
    <>
      <SavedMenu
        shown={
          chosen === undefined ? (
            t("Segments")
          ) : (
            <span class="cut">{t("Segment: {name}", { name: isolated(label(chosen.name)) })}</span>
          )
        }
        plain
        label={t("Segments")}
        listLabel={t("Saved segments")}
        entries={entries}
        none={t("No filters are saved yet.")}
        removal={(name) => t("Remove the segment {name}", { name })}
        onRemove={mayChange ? setOpen : undefined}
        save={isUnsaved ? { label: t("Save these filters…"), onClick: () => setOpen("new") } : undefined}
      />
      {open === "new" && <SegmentForm question={question} onClose={close} />}
      {typeof open === "object" && <SegmentRemoval question={question} segment={open} onClose={close} />}
    </>
  );
}

function entryOf(segment: Segment, question: Question): SavedEntry {
  const filters = filtersIn(segment);
  const own = { ...question, filters };
  return {
    id: segment.id,
    name: segment.name,
    title: filters.map((filter) => filterText(question, filter)).join("; "),
    href: questionHref(own),
    isShown: writtenFilters(own) === writtenFilters(question),
  };
}
