/** The menu of segments: saves the filters of now under a name, shows others that were saved, and removes them. */
import { useId, useState } from "preact/hooks";
import type { Filter } from "../../../core/questions/query.ts";
import { segmentNameCharactersMax, type Segment } from "../../../core/website/segment.ts";
import { forgetAnswers, useAnswer } from "../../lib/answer.ts";
import { call } from "../../lib/api.ts";
import { isolated, label } from "../../../core/questions/label.ts";
import { filterPairs, filtersOf, questionHref, type Question } from "../../lib/question/question.ts";
import { may } from "../../lib/question/view-href.ts";
import { filterText } from "../../lib/question/value-text.ts";
import { encodeSearch } from "../../lib/routes.ts";
import { announce } from "../../parts/announcer.tsx";
import { Cancel, Dialog } from "../../parts/dialogs/dialog.tsx";
import { Field, Form } from "../../parts/forms/form.tsx";
import { Icon } from "../../parts/icon.tsx";
import { usePopup } from "../../parts/dialogs/use-popup.ts";
import { Removal } from "../../parts/dialogs/removal.tsx";
import { Tool } from "../../parts/tool.tsx";
import { t } from "../../lib/texts/words.ts";

function segmentsPath({ hostname }: Question): string {
  return `/website/${encodeURIComponent(hostname)}/segments`;
}

/** Returns the filters as a segment has them. */
function writtenFilters({ filters }: Question): string {
  return encodeSearch(filterPairs(filters)).slice(1);
}

function filtersIn({ filters }: Segment): readonly Filter[] {
  return filtersOf(new URLSearchParams(filters));
}

/** Returns whether the filters of now are those of the segment. */
function isShown(segment: Segment, question: Question): boolean {
  return writtenFilters({ ...question, filters: filtersIn(segment) }) === writtenFilters(question);
}

interface SegmentMenuProps {
  readonly question: Question;
}

/** Shows the saved segments; nothing while there is nothing to save and nothing saved. */
export function SegmentMenu({ question }: SegmentMenuProps) {
  const { data = [] } = useAnswer<readonly Segment[]>(segmentsPath(question));
  const [open, setOpen] = useState<"new" | Segment>();
  const id = useId();
  const { button, box, toggled } = usePopup();
  const mayChange = may(question, "editor");
  if (data.length === 0 && (question.filters.length === 0 || !mayChange)) return null;
  const chosen = data.find((segment) => isShown(segment, question));
  const show = (what: "new" | Segment) => {
    box.current?.hidePopover();
    setOpen(what);
  };
  return (
    <>
      <button ref={button} type="button" class="plain" popovertarget={id}>
        {chosen === undefined ? (
          t("Segments")
        ) : (
          <span class="cut">{t("Segment: {name}", { name: isolated(label(chosen.name)) })}</span>
        )}
        <Icon name="down" />
      </button>
      <div
        ref={box}
        id={id}
        class="menu segment-menu"
        popover="auto"
        role="group"
        aria-label={t("Segments")}
        onToggle={toggled}
      >
        <Segments
          question={question}
          segments={data}
          onPick={() => box.current?.hidePopover()}
          onRemove={mayChange ? show : undefined}
        />
        {mayChange && question.filters.length > 0 && chosen === undefined && (
          <button type="button" aria-haspopup="dialog" onClick={() => show("new")}>
            <Icon name="add" /> {t("Save these filters…")}
          </button>
        )}
      </div>
      {open === "new" && <SegmentForm question={question} onClose={() => setOpen(undefined)} />}
      {typeof open === "object" && (
        <SegmentRemoval question={question} segment={open} onClose={() => setOpen(undefined)} />
      )}
    </>
  );
}

interface SegmentsProps extends SegmentMenuProps {
  readonly segments: readonly Segment[];
  readonly onPick: () => void;
  /** Removes a segment; undefined for readers who may remove none. */
  readonly onRemove: ((segment: Segment) => void) | undefined;
}

function Segments({ question, segments, onPick, onRemove }: SegmentsProps) {
  if (segments.length === 0) return <p class="weak">{t("No filters are saved yet.")}</p>;
  const byName = segments.toSorted((a, b) => a.name.localeCompare(b.name));
  return (
    <ul aria-label={t("Saved segments")}>
      {byName.map((segment) => {
        const filters = filtersIn(segment);
        const name = label(segment.name);
        return (
          <li key={segment.id}>
            <a
              href={questionHref({ ...question, filters })}
              title={filters.map((filter) => filterText(question, filter)).join("; ")}
              aria-current={isShown(segment, question) ? "true" : undefined}
              onClick={(event) => {
                if (!event.ctrlKey && !event.metaKey && !event.shiftKey) onPick();
              }}
            >
              <span class="cut" dir="auto">
                {name}
              </span>
            </a>
            {onRemove && (
              <Tool
                icon="close"
                label={t("Remove the segment {name}", { name: isolated(name) })}
                onClick={() => onRemove(segment)}
              />
            )}
          </li>
        );
      })}
    </ul>
  );
}

interface DialogProps extends SegmentMenuProps {
  readonly onClose: () => void;
}

function SegmentForm({ question, onClose }: DialogProps) {
  const save = async ({ name = "" }: Readonly<Record<string, string>>) => {
    await call("POST", segmentsPath(question), { body: { name, filters: writtenFilters(question) } });
    onClose();
    forgetAnswers();
    announce(t("Segment saved"));
  };
  return (
    <Dialog title={t("Save these filters")} onClose={onClose}>
      <Form submit={t("Save segment")} onSubmit={save} beside={<Cancel onClose={onClose} />}>
        <ul class="plain-list">
          {question.filters.map((filter) => (
            <li key={filterText(question, filter)}>{filterText(question, filter)}</li>
          ))}
        </ul>
        <Field
          label={t("Name")}
          name="name"
          autocomplete="off"
          required
          maxLength={segmentNameCharactersMax}
          autoFocus
        />
      </Form>
    </Dialog>
  );
}

function SegmentRemoval({ question, segment, onClose }: DialogProps & { readonly segment: Segment }) {
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
