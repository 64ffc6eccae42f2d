/** The pages that visits went to from a page that is filtered for, and those that they came from. */
import type { Journeys } from "../../../core/questions/answer.ts";
import type { Direction } from "../../../core/questions/query.ts";
import { useAnswer, useHeld } from "../../lib/answer.ts";
import { isolated } from "../../../core/questions/label.ts";
import { columnOf } from "../../lib/texts/metric.ts";
import { earlierListPath, listPath } from "../../lib/question/paths.ts";
import {
  operandText,
  questionHref,
  withFilter,
  withTab,
  type Question,
} from "../../lib/question/question.ts";
import { cellOf } from "../../parts/tables/cell.ts";
import { Change } from "../../parts/tables/change.tsx";
import { BarTable, type BarRow } from "../../parts/tables/bar-table.tsx";
import { Explained } from "../../parts/dialogs/explained.tsx";
import { Empty, Failed, Loading } from "../../parts/notice.tsx";
import { CourseCard, RowsFrom } from "./course-card.tsx";
import { t, translated } from "../../lib/texts/words.ts";

const shownPages = 8;
/** The pages that are asked for of the other period: one that is shown now may have had a lower place there. */
const earlierPages = 100;
const texts: Readonly<Record<Direction, { readonly label: string; readonly end: string }>> = {
  next: { label: t("Next pages"), end: t("Visit ended here") },
  previous: { label: t("Previous pages"), end: t("Visit began here") },
};
const directions = Object.keys(texts) as readonly Direction[];

interface JourneysProps {
  readonly question: Question;
  readonly path: string;
  /** Whether the card says itself from when on it is. */
  readonly isDated: boolean;
}

export function JourneysCard({ question, path, isDated }: JourneysProps) {
  const direction = directions.find((name) => name === question.tabs.get("journeys")) ?? "next";
  const about = { ...question, goal: undefined };
  const answer = useAnswer<Journeys>(listPath(about, "journeys", { path, direction, limit: shownPages }));
  const shown = useHeld({ path, direction }, answer.loading);
  const earlier = useAnswer<Journeys>(
    earlierListPath(about, "journeys", { path, direction, limit: earlierPages }),
  );
  // The other period is not whole if some of its months have sums only.
  const isWhole = !earlier.loading && earlier.error === undefined && earlier.rowsFrom === undefined;
  return (
    <CourseCard
      id="journeys"
      title={t("Pages before and after {path}", { path: isolated(operandText("path", shown.path)) })}
      busy={answer.loading}
      head={
        <nav class="tabs" aria-label={t("Journeys")}>
          {directions.map((name) => (
            <a
              key={name}
              href={questionHref(withTab(question, "journeys", name))}
              aria-current={name === direction ? "true" : undefined}
            >
              {texts[name].label}
            </a>
          ))}
        </nav>
      }
    >
      <Rows
        question={question}
        direction={shown.direction}
        answer={answer}
        before={isWhole ? earlier.data : undefined}
      />
      <RowsFrom date={isDated ? answer.rowsFrom : undefined} />
    </CourseCard>
  );
}

const counted = columnOf("events");
const ofTimes = columnOf("visits_percentage");

interface RowsProps extends Pick<JourneysProps, "question"> {
  readonly direction: Direction;
  readonly answer: ReturnType<typeof useAnswer<Journeys>>;
  /** The same of the other period. */
  readonly before: Journeys | undefined;
}

function Rows({ question, direction, answer: { data, error }, before }: RowsProps) {
  if (error !== undefined) return <Failed error={error} what={t("the next and previous pages")} />;
  if (data === undefined) return <Loading />;
  const { stays, exits, entries, pages } = data;
  if (stays === 0)
    return (
      <Empty>
        <p>{t("No visit has been on this page in this period.")}</p>
      </Empty>
    );
  const { label, end } = texts[direction];
  const ended = exits ?? entries ?? 0;
  const row = (key: string, name: BarRow["name"], times: number, share: number, was?: number): BarRow => ({
    key,
    name,
    share,
    cells: [cellOf(counted, times, 2), cellOf(ofTimes, share, 2)],
    changes: [<Change figure={counted} now={times} before={was} />],
  });
  const timesBefore = (path: string) =>
    before?.pages.find((page) => page.path === path && !page.other)?.stays;
  return (
    <BarTable
      caption={t("{pages}, how often and their share", { pages: label })}
      what={label}
      columns={[
        { key: "times", term: "stays", label: t("Times") },
        { key: "share", term: "stays", label: t("% of times") },
      ]}
      rows={[
        ...pages.map(({ path, other, stays: times, stays_percentage: share }) =>
          row(
            `${path}${other}`,
            <Page question={question} path={path} other={other} />,
            times,
            share,
            other ? undefined : timesBefore(path),
          ),
        ),
        row(
          "end",
          <span class="name weak">{end}</span>,
          ended,
          Math.round((ended * 10_000) / stays) / 100,
          before?.exits ?? before?.entries,
        ),
      ]}
    />
  );
}

interface PageProps extends Omit<JourneysProps, "isDated"> {
  readonly other: true | undefined;
}

/** A click walks on: that page is filtered for. */
function Page({ question, path, other }: PageProps) {
  const text = operandText("path", path);
  if (other)
    return (
      <span class="name">
        <Explained term="other_pages">{translated(path)}</Explained>
      </span>
    );
  const filter = { name: "path", operator: "eq", operands: [path] } as const;
  return (
    <a class="name" dir="auto" href={questionHref(withFilter(question, filter))} title={text}>
      {text}
    </a>
  );
}
