/** The dialogs that save the filters of now as a segment, and remove one. */
import { label } from "../../../core/questions/label.ts";
import { segmentNameCharactersMax, type Segment } from "../../../core/website/segment.ts";
import type { Question } from "../../lib/question/question.ts";
import { segmentsPath, writtenFilters } from "../../lib/question/segments.ts";
import { filterText } from "../../lib/question/value-text.ts";
import { Removal } from "../../parts/dialogs/removal.tsx";
import { Saving } from "../../parts/dialogs/saving.tsx";
import { t } from "../../lib/texts/words.ts";

interface DialogProps {
  readonly question: Question;
  readonly onClose: () => void;
}

export function SegmentForm({ question, onClose }: DialogProps) {
  return (
    <Saving
      title={t("Save these filters")}
      submit={t("Save segment")}
      done={t("Segment saved")}
      lines={question.filters.map((filter) => filterText(question, filter))}
      path={segmentsPath(question)}
      body={{ filters: writtenFilters(question) }}
      nameCharactersMax={segmentNameCharactersMax}
      onClose={onClose}
    />
  );
}

interface RemovalProps extends DialogProps {
  readonly segment: Pick<Segment, "id" | "name">;
}

export function SegmentRemoval({ question, segment, onClose }: RemovalProps) {
  return (
    <Removal
      title={t("Remove the segment {name}?", { name: label(segment.name) })}
      what={t("Segment")}
      path={`${segmentsPath(question)}/${segment.id}`}
      onClose={onClose}
    >
      <p>{t("The filters that are shown stay as they are.")}</p>
    </Removal>
  );
}
