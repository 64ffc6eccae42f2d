/** A funnel: how many visits did steps one after the other. Its steps are in the address. */
import { useState } from "preact/hooks";
import { stepsMin } from "../../../core/website/goal.ts";
import type { FunnelRow } from "../../../core/questions/answer.ts";
import { useAnswer } from "../../lib/answer.ts";
import { count } from "../../lib/texts/format.ts";
import { columnOf } from "../../lib/texts/metric.ts";
import { funnelPath } from "../../lib/question/paths.ts";
import { questionHref, type Question } from "../../lib/question/question.ts";
import { stepText, type GoalRow } from "../../lib/question/steps.ts";
import { BarTable } from "../../parts/tables/bar-table.tsx";
import { Change } from "../../parts/tables/change.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Empty, Failed, Loading } from "../../parts/notice.tsx";
import { onDemand } from "../../parts/on-demand.tsx";
import { CourseCard, RowsFrom } from "./course-card.tsx";
import { t } from "../../lib/texts/words.ts";

const FunnelForm = onDemand(async () => (await import("./funnel-form.tsx")).FunnelForm);

interface FunnelProps {
  readonly question: Question;
  readonly goals: readonly GoalRow[];
  /** Whether the card says itself from when on it is. */
  readonly isDated: boolean;
}

export function FunnelCard({ question, goals, isDated }: FunnelProps) {
  const [open, setOpen] = useState(false);
  const isMade = question.steps.length >= stepsMin;
  const answer = useAnswer<readonly FunnelRow[]>(isMade ? funnelPath(question) : null);
  return (
    <CourseCard
      id="funnel"
      title={t("Funnel")}
      busy={isMade && answer.loading}
      foot={
        <>
          <button type="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
            <Icon name={isMade ? "settings" : "add"} /> {isMade ? t("Change steps") : t("Make a funnel")}
          </button>
          {question.steps.length > 0 && (
            <a class="button plain" href={questionHref({ ...question, steps: [] })}>
              {t("Clear funnel")}
            </a>
          )}
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
      {open && <FunnelForm question={question} goals={goals} onClose={() => setOpen(false)} />}
    </CourseCard>
  );
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
          cells: [count(visits), share.write(step_percentage), share.write(total_percentage)],
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
