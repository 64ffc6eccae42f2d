/** A list in full: every column, sorted by any of them, more rows as one scrolls, search, a file. */
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import type { AnyRow } from "../../../core/questions/answer.ts";
import { limitMax } from "../../../core/questions/query.ts";
import { isPlainClick } from "../../lib/address.ts";
import { useAnswer, type Answer } from "../../lib/answer.ts";
import { periodText } from "../../lib/calendar/period.ts";
import { comparedPairs, listPath } from "../../lib/question/paths.ts";
import type { Question } from "../../lib/question/question.ts";
import type { Figure } from "../../lib/texts/metric.ts";
import { sortAfter, sortedRows, type Sort } from "../../lib/texts/sorted.ts";
import { Incomparable } from "../../parts/tables/change.tsx";
import { Dialog } from "../../parts/dialogs/dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Empty, Failed, Loading } from "../../parts/notice.tsx";
import { columnsOf } from "./columns.ts";
import { searched } from "./list.ts";
import { ListPeriod } from "./list-period.tsx";
import { ListTable } from "./list-table.tsx";
import { saveList } from "./save-list.tsx";
import { whatOf, type Tab } from "./panels.ts";
import { noun, t } from "../../lib/texts/words.ts";

const firstRows = 100;

interface ListDialogProps {
  readonly question: Question;
  readonly tab: Tab;
  readonly onClose: () => void;
}

/** Asks for the rows of a list. The server has one order: all that it gives at once is sorted here. */
function useWhole(question: Question, tab: Tab, search: string) {
  const [wanted, setWanted] = useState({ search, rows: firstRows });
  const [sort, setSort] = useState<Sort>();
  const asked = searched(question, tab, search);
  // Another search begins with its first rows.
  const shown = wanted.search === search ? wanted.rows : firstRows;
  // One row more tells whether there are more.
  const limit = sort === undefined ? Math.min(limitMax, shown + 1) : limitMax;
  const { all } = columnsOf(tab.list, question).asked;
  const more = { ...tab.extra, ...all, ...comparedPairs(asked), limit };
  const answer = useAnswer<readonly AnyRow[]>(listPath(asked, tab.list, more));
  const { data = [], loading } = answer;
  const isIncomparable = useContext(Incomparable);
  return {
    answer,
    // If no row has a figure of the other period, that may have had none, or not be known.
    isCompared: !isIncomparable && data.some(({ previous }) => previous !== undefined),
    rows: sortedRows(data, sort).slice(0, shown),
    sort,
    setSort,
    cut: data.length === limitMax,
    more:
      data.length > shown && !loading
        ? () => setWanted({ search, rows: Math.min(limitMax, 2 * shown) })
        : undefined,
  };
}

/** Returns the period as it stands within a sentence. Dates keep the letters of their months. */
function periodWithin({ period, zone }: Question): string {
  const text = periodText(period, zone);
  return period.name === "custom" || "untilMs" in period ? text : noun(text);
}

export function ListDialog({ question, tab, onClose }: ListDialogProps) {
  const [search, setSearch] = useState("");
  const { answer, isCompared, rows, sort, setSort, cut, more } = useWhole(question, tab, search);
  return (
    <Dialog title={`${whatOf(tab)}: ${periodWithin(question)}`} onClose={onClose}>
      <div class="list-tools">
        <input
          type="search"
          aria-label={t("Search all {what}", { what: noun(whatOf(tab)) })}
          placeholder={t("Search")}
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        {isCompared && (
          <label class="switch">
            <input
              type="checkbox"
              checked={sort?.byChange === true}
              onChange={() => setSort(sortByChange(sort, columnsOf(tab.list, question).all))}
            />
            {t("Sort by change")}
          </label>
        )}
        <button type="button" onClick={() => void saveList(question, tab, search)}>
          <Icon name="download" /> {t("CSV")}
        </button>
      </div>
      {/* A person without a mouse scrolls it by the arrow keys. */}
      <div
        class="list-scroll"
        role="region"
        aria-label={t("Rows")}
        tabIndex={0}
        aria-busy={answer.loading}
        onClick={closeOnFilter(onClose)}
      >
        <Whole
          question={question}
          tab={tab}
          search={search}
          answer={answer}
          isCompared={isCompared}
          rows={rows}
          sort={sort}
          onSort={setSort}
        />
        {more && <More key={rows.length} onSeen={more} />}
      </div>
      <ListPeriod question={question} period={answer.period} />
      <p class="weak range">
        {rows.length > 0 &&
          (cut
            ? t("Rows 1–{n} of the first {max}: search to see others", { n: rows.length, max: limitMax })
            : t("Rows 1–{n}", { n: rows.length }))}
      </p>
    </Dialog>
  );
}

/** Turns the order by changes on and off: of the column that was sorted by, or of the first one. */
function sortByChange(sort: Sort | undefined, columns: readonly Figure[]): Sort {
  const { name } = columns.find((column) => column.name === sort?.field) ?? columns[0]!;
  return { field: name, descending: true, byChange: sort?.byChange !== true };
}

/** The end of the rows that are shown: more are asked for when it comes near. */
function More({ onSeen }: { readonly onSeen: () => void }) {
  const end = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) onSeen();
    });
    if (end.current !== null) observer.observe(end.current);
    return () => observer.disconnect();
  }, []);
  return (
    <p ref={end} class="weak">
      {t("More rows…")}
    </p>
  );
}

/** Closes the dialog when a link in the list is clicked, whose figures the page behind shows. */
function closeOnFilter(onClose: () => void) {
  return (event: MouseEvent) => {
    if (isPlainClick(event) && event.target instanceof Element && event.target.closest("a") !== null)
      onClose();
  };
}

interface WholeProps extends Omit<ListDialogProps, "onClose"> {
  readonly search: string;
  readonly answer: Answer<readonly AnyRow[]>;
  readonly isCompared: boolean;
  readonly rows: readonly AnyRow[];
  readonly sort: Sort | undefined;
  readonly onSort: (sort: Sort) => void;
}

function Whole({ question, tab, search, answer, isCompared, rows, sort, onSort }: WholeProps) {
  if (answer.error !== undefined) return <Failed error={answer.error} what={t("this list")} />;
  if (answer.data === undefined) return <Loading />;
  if (rows.length === 0) return <Empty>{t("Nothing was found.")}</Empty>;
  const { all, bar } = columnsOf(tab.list, question, search !== "");
  const first = tab.list === "time" ? bar : all[0]!.name;
  const { field, descending }: Sort = sort ?? { field: first, descending: true };
  return (
    <ListTable
      caption={whatOf(tab)}
      question={question}
      tab={tab}
      rows={rows}
      columns={all}
      bar={bar}
      fullBar={100}
      isApproximate={answer.isApproximate}
      hasNew={isCompared}
      sorting={{
        by: field === tab.field ? "" : field,
        descending,
        onSort: (key) =>
          onSort(
            sortAfter(
              { field, descending, byChange: sort?.byChange },
              all.find(({ name }) => name === key)?.name ?? tab.field,
              key === "",
            ),
          ),
      }}
    />
  );
}
