/** The goals of a website: visits that reached each, and how often. A chosen one adds its conversions to all lists. */
import { useState } from "preact/hooks";
import type { Answer } from "../../lib/answer.ts";
import { utcDate } from "../../lib/texts/format.ts";
import { isolated, label } from "../../../core/questions/label.ts";
import { averageAmount } from "../../../core/questions/metric.ts";
import { columnOf } from "../../lib/texts/metric.ts";
import { questionHref, sumsUp, withoutGoal, type Question } from "../../lib/question/question.ts";
import { may } from "../../lib/question/view-href.ts";
import { lacksAmount, type GoalRow } from "../../lib/question/steps.ts";
import { useFocusKept } from "../../parts/dialogs/focus-kept.ts";
import { BarTable, type BarRow } from "../../parts/tables/bar-table.tsx";
import { cellOf } from "../../parts/tables/cell.ts";
import { Change } from "../../parts/tables/change.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Empty, Failed, Loading } from "../../parts/notice.tsx";
import { onDemand } from "../../parts/on-demand.tsx";
import { Tool } from "../../parts/tool.tsx";
import { CourseCard } from "./course-card.tsx";
import { t } from "../../lib/texts/words.ts";

const GoalForm = onDemand(async () => (await import("./goal-form.tsx")).GoalForm);
const GoalRemoval = onDemand(async () => (await import("./goal-form.tsx")).GoalRemoval);

interface GoalsProps {
  readonly question: Question;
  readonly goals: Answer<readonly GoalRow[]>;
}

export function GoalsCard({ question, goals }: GoalsProps) {
  const [open, setOpen] = useState<"form" | GoalRow>();
  const close = () => setOpen(undefined);
  const mayChange = may(question, "editor");
  const add = useFocusKept(open !== undefined, goals.data?.length);
  return (
    <CourseCard
      id="goals"
      title={t("Goals")}
      busy={goals.loading}
      foot={
        mayChange && (
          <button ref={add} type="button" aria-haspopup="dialog" onClick={() => setOpen("form")}>
            <Icon name="add" /> {t("Add goal")}
          </button>
        )
      }
    >
      <Rows question={question} goals={goals} onRemove={mayChange ? setOpen : undefined} />
      {open === "form" && <GoalForm question={question} onClose={close} />}
      {typeof open === "object" && <GoalRemoval question={question} goal={open} onClose={close} />}
    </CourseCard>
  );
}

const rate = columnOf("conversion_percentage");
const amountColumn = columnOf("amount");

interface RowsProps extends GoalsProps {
  readonly onRemove: ((goal: GoalRow) => void) | undefined;
}

function Rows({ question, goals, onRemove }: RowsProps) {
  const { data, error } = goals;
  if (error !== undefined) return <Failed error={error} what={t("the goals")} />;
  if (data === undefined) return <Loading />;
  if (data.length === 0)
    return (
      <Empty>
        <p>
          {t(
            "A goal is a page that visits should reach, or an event that should happen. A new one also counts what came before it.",
          )}
        </p>
      </Empty>
    );
  const sums = data.some(sumsUp);
  return (
    <>
      <BarTable
        caption={t("Goals, visits and conversion rate")}
        what={t("Goals")}
        columns={[
          { key: "visits", term: "goal_visits", label: t("Visits") },
          // A narrow window has room for two: the bar shows the rate, too.
          { key: "rate", term: "goal_share", label: rate.label, minor: sums },
          { key: "times", term: "goal_times", label: t("Times"), minor: true },
          ...(sums
            ? ([
                { key: "amount", term: "goal_amount", label: t("Amount") },
                { key: "average", term: "goal_average", label: t("Average"), minor: true },
              ] as const)
            : []),
        ]}
        rows={data.map((goal) => rowOf(question, goal, sums, onRemove))}
        {...(onRemove !== undefined && { tools: t("Remove") })}
      />
      {data.filter(lacksAmount).map(({ id, name, event }) => (
        <p key={id} class="hint">
          {t("{name}: no number came in {property}. A text is not summed up.", {
            name: isolated(label(name)),
            property: isolated(label(event?.amount ?? "")),
          })}
        </p>
      ))}
    </>
  );
}

function rowOf(question: Question, goal: GoalRow, sums: boolean, onRemove: RowsProps["onRemove"]): BarRow {
  const { id, since, visits, events, amount, conversion_percentage: share, previous: before } = goal;
  const name = label(goal.name);
  const chosen = question.goal === id;
  const action = chosen ? t("Show the lists without conversions") : t("Show conversions in all lists");
  const columns = [
    { figure: columnOf("visits"), now: visits, before: before?.visits },
    { figure: rate, now: share, before: before?.conversion_percentage },
    { figure: columnOf("events"), now: events, before: before?.events },
    ...(sums
      ? [
          { figure: amountColumn, now: amount, before: before?.amount },
          { figure: amountColumn, now: averageAmount(goal), before: before && averageAmount(before) },
        ]
      : []),
  ];
  return {
    key: String(id),
    name: (
      <a
        class="name"
        dir="auto"
        title={`${isolated(name)}: ${action}`}
        href={questionHref(chosen ? withoutGoal(question) : { ...question, goal: id })}
        aria-current={chosen ? "true" : undefined}
      >
        {name}
        {since && <span class="weak"> {t("since {date}", { date: utcDate(since) })}</span>}
      </a>
    ),
    share: share ?? 0,
    changes: columns.map((column) => <Change {...column} />),
    cells: columns.map(({ figure, now }) => cellOf(figure, now, columns.length)),
    tool: (
      <Tool
        icon="close"
        label={t("Remove the goal {name}", { name: isolated(name) })}
        onClick={() => onRemove?.(goal)}
      />
    ),
  };
}
