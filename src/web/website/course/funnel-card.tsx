/** A funnel: how many visits did steps one after the other. Its steps are in the address. */
import { useState } from "preact/hooks";
import { isolated, label } from "../../../core/questions/label.ts";
import type { Funnel } from "../../../core/website/funnel.ts";
import { stepsMin } from "../../../core/website/goal.ts";
import type { FunnelRow } from "../../../core/questions/answer.ts";
import { useAnswer } from "../../lib/answer.ts";
import { columnOf } from "../../lib/texts/metric.ts";
import { funnelPath, funnelsPath } from "../../lib/question/paths.ts";
import { questionHref, type Question } from "../../lib/question/question.ts";
import { may } from "../../lib/question/view-href.ts";
import { stepText, type GoalRow } from "../../lib/question/steps.ts";
import { useFocusKept } from "../../parts/dialogs/focus-kept.ts";
import { SavedMenu, type SavedEntry } from "../../parts/dialogs/saved-menu.tsx";
import { BarTable } from "../../parts/tables/bar-table.tsx";
import { cellOf } from "../../parts/tables/cell.ts";
import { Change } from "../../parts/tables/change.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Empty, Failed, Loading } from "../../parts/notice.tsx";
import { onDemand } from "../../parts/on-demand.tsx";
import { CourseCard, RowsFrom } from "./course-card.tsx";
import { t } from "../../lib/texts/words.ts";

const FunnelForm = onDemand(async () => (await import("./funnel-form.tsx")).FunnelForm);
const FunnelSaving = onDemand(async () => (await import("./saved-funnel-dialogs.tsx")).FunnelSaving);
const FunnelRemoval = onDemand(async () => (await import("./saved-funnel-dialogs.tsx")).FunnelRemoval);

interface FunnelProps {
  readonly question: Question;
  readonly goals: readonly GoalRow[];
  /** Whether the card says itself from when on it is. */
  readonly isDated: boolean;
}

export function FunnelCard({ question, goals, isDated }: FunnelProps) {
  const [open, setOpen] = useState<"steps" | "name" | SavedEntry>();
  const isMade = question.steps.length >= stepsMin;
  const answer = useAnswer<readonly FunnelRow[]>(isMade ? funnelPath(question) : null);
  const saved = useSaved(question, goals);
  const chosen = saved?.find(({ isShown }) => isShown);
  const mayChange = may(question, "editor");
  const isUnsaved = mayChange && isMade && saved !== undefined && chosen === undefined;
  const change = useFocusKept(open !== undefined, saved?.length);
  const close = () => setOpen(undefined);
  return (
    <CourseCard
      id="funnel"
      title={chosen === undefined ? t("Funnel") : t("Funnel: {name}", { name: isolated(label(chosen.name)) })}
      busy={isMade && answer.loading}
      foot={
        <>
          <button ref={change} type="button" aria-haspopup="dialog" onClick={() => setOpen("steps")}>
            <Icon name={isMade ? "settings" : "add"} /> {isMade ? t("Change steps") : t("Make a funnel")}
          </button>
          {isUnsaved && answer.error === undefined && (
            <button type="button" aria-haspopup="dialog" onClick={() => setOpen("name")}>
              <Icon name="add" /> {t("Save funnel…")}
            </button>
          )}
          {saved !== undefined && saved.length > 0 && (
            <SavedMenu
              shown={t("Saved funnels")}
              label={t("Saved funnels")}
              listLabel={t("Saved funnels")}
              entries={saved}
              removal={(name) => t("Remove the funnel {name}", { name })}
              onRemove={mayChange ? setOpen : undefined}
            />
          )}
          {question.steps.length > 0 && <Clear question={question} onClear={() => change.current?.focus()} />}
        </>
      }
    >
      {isMade ? (
        <>
          <Rows answer={answer} goals={goals} />
          <RowsFrom date={isDated ? answer.rowsFrom : undefined} />
        </>
      ) : (
        <Empty>
          <p>{t("A funnel shows how many visits did two to eight steps, one after the other.")}</p>
        </Empty>
      )}
      {open === "steps" && <FunnelForm question={question} goals={goals} onClose={close} />}
      {open === "name" && <FunnelSaving question={question} goals={goals} onClose={close} />}
      {typeof open === "object" && <FunnelRemoval question={question} funnel={open} onClose={close} />}
    </CourseCard>
  );
}

interface ClearProps extends Pick<FunnelProps, "question"> {
  /** Called before the link vanishes. */
  readonly onClear: () => void;
}

function Clear({ question, onClear }: ClearProps) {
  return (
    <a class="button plain" href={questionHref({ ...question, steps: [] })} onClick={onClear}>
      {t("Clear funnel")}
    </a>
  );
}

/** Returns the saved funnels; undefined until they are known. A link with filters shows none. */
function useSaved(question: Question, goals: readonly GoalRow[]): readonly SavedEntry[] | undefined {
  const isHeld = (question.shared?.filters.length ?? 0) > 0;
  const { data } = useAnswer<readonly Funnel[]>(isHeld ? null : funnelsPath(question));
  return data?.map(({ id, name, steps }) => {
    const href = questionHref({ ...question, steps });
    return {
      id,
      name,
      title: steps.map((step, at) => `${at + 1}. ${stepText(step, goals)}`).join("; "),
      href,
      isShown: href === questionHref(question),
    };
  });
}

const share = columnOf("conversion_percentage");
const counted = columnOf("visits");

interface RowsProps extends Pick<FunnelProps, "goals"> {
  readonly answer: ReturnType<typeof useAnswer<readonly FunnelRow[]>>;
}

function Rows({ answer: { data, error }, goals }: RowsProps) {
  if (error !== undefined) return <Failed error={error} what={t("the funnel")} />;
  if (data === undefined) return <Loading />;
  return (
    <BarTable
      caption={t("Funnel: visits that did each step and all before it")}
      what={t("Steps")}
      columns={[
        { key: "visits", term: "visits", label: t("Visits") },
        { key: "step", term: "step_share", label: t("Of the step before") },
        { key: "all", term: "visit_share", label: t("Of all visits"), minor: true },
      ]}
      rows={data.map(({ step, visits, step_percentage, total_percentage, previous }, at) => {
        const text = `${at + 1}. ${stepText(step, goals)}`;
        return {
          key: String(at),
          name: (
            <span class="name" dir="auto" title={text}>
              {text}
            </span>
          ),
          share: total_percentage ?? 0,
          cells: [
            cellOf(counted, visits, 3),
            cellOf(share, step_percentage, 3),
            cellOf(share, total_percentage, 3),
          ],
          changes: [
            <Change figure={counted} now={visits} before={previous?.visits} />,
            <Change figure={share} now={step_percentage} before={previous?.step_percentage} />,
            <Change figure={share} now={total_percentage} before={previous?.total_percentage} />,
          ],
        };
      })}
    />
  );
}
