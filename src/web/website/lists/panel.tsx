/** One card of lists: tabs, a page of rows, search, the whole list, a file. */
import { useContext, useState } from "preact/hooks";
import { unknownLabel } from "../../../core/questions/dimension.ts";
import { isolated, label } from "../../../core/questions/label.ts";
import { useHeld } from "../../lib/answer.ts";
import { questionHref, withFilter, withTab, type Question } from "../../lib/question/question.ts";
import { Empty, Failed, Loading } from "../../parts/notice.tsx";
import { onDemand } from "../../parts/on-demand.tsx";
import { Incomparable } from "../../parts/tables/change.tsx";
import { Tool } from "../../parts/tool.tsx";
import { columnsOf } from "./columns.ts";
import { useList, type List } from "./list.ts";
import { ListPeriod } from "./list-period.tsx";
import { ListTable } from "./list-table.tsx";
import { saveList } from "./save-list.tsx";
import { whatOf, type Panel, type Tab } from "./panels.ts";
import { WorldMap, type CountryRow } from "./world-map.tsx";
import { locale as ownLocale, noun, t } from "../../lib/texts/words.ts";

const ListDialog = onDemand(async () => (await import("./list-dialog.tsx")).ListDialog);

const pageRows = 9;
const listed = new Intl.ListFormat(ownLocale);
/** The rows that the map asks for: more than there are countries. */
const mapRows = 500;
/** The rows of the list beneath the map. */
const mapListRows = 4;

export interface PanelCardProps {
  readonly panel: Panel;
  readonly question: Question;
  /** Whether sums that were imported are in the figures. */
  readonly isImported: boolean;
}

export function PanelCard({ panel, question, isImported }: PanelCardProps) {
  const tab = panel.tabs.find(({ id }) => id === question.tabs.get(panel.id)) ?? panel.tabs[0];
  return (
    <section class="card panel" aria-labelledby={`panel-${panel.id}`}>
      <h2 id={`panel-${panel.id}`} class={panel.tabs.length > 1 ? "visually-hidden" : "panel-title"}>
        {panel.title}
      </h2>
      {panel.tabs.length > 1 && <Tabs panel={panel} question={question} open={tab} />}
      <PanelList key={tab.id} question={question} tab={tab} isImported={isImported} />
    </section>
  );
}

function Tabs({ panel, question, open }: Pick<PanelCardProps, "panel" | "question"> & { open: Tab }) {
  return (
    <nav class="tabs" aria-label={panel.title}>
      {panel.tabs.map((tab) => (
        <a
          key={tab.id}
          href={questionHref(withTab(question, panel.id, tab.id))}
          aria-current={tab === open ? "true" : undefined}
        >
          {tab.label}
        </a>
      ))}
    </nav>
  );
}

interface PanelListProps extends Pick<PanelCardProps, "question" | "isImported"> {
  readonly tab: Tab;
}

function PanelList({ question, tab, isImported }: PanelListProps) {
  const { few } = columnsOf(tab.list, question).asked;
  const list = useList(question, tab, tab.shows === "map" ? mapRows : pageRows, few);
  const [whole, setWhole] = useState(false);
  return (
    <>
      <div class="panel-rows" aria-busy={list.answer.loading}>
        <Rows question={question} tab={tab} isImported={isImported} list={list} />
        <ListPeriod question={question} period={list.answer.period} />
      </div>
      <Tools question={question} tab={tab} list={list} onWhole={() => setWhole(true)} />
      {whole && <ListDialog question={question} tab={tab} onClose={() => setWhole(false)} />}
    </>
  );
}

function Rows({ question, tab, isImported, list }: PanelListProps & { readonly list: List }) {
  const { answer, rows } = list;
  // The rows of the question before are compared as they were.
  const isIncomparable = useHeld(useContext(Incomparable), answer.loading);
  const search = useHeld(list.search, answer.loading);
  const what = noun(whatOf(tab));
  if (answer.error !== undefined)
    return <Failed error={answer.error} what={t("the list of {what}", { what })} />;
  if (answer.data === undefined) return <Loading />;
  const filterHref = (country: string) =>
    questionHref(withFilter(question, { name: "country", operator: "eq", operands: [country] }));
  const isMap = tab.shows === "map";
  const countries = rows as readonly CountryRow[];
  const mapped = isIncomparable ? countries.map(({ previous, ...row }) => row) : countries;
  const map = isMap && <WorldMap rows={mapped} hrefOf={filterHref} />;
  if (isMap && rows.length === 0) return map;
  // Sums have no languages: a list of nothing but the unknown one tells nobody anything.
  if (isImported && tab.filter === "language" && rows.every(({ language }) => language === unknownLabel))
    return (
      <Empty>
        <p>{t("The imported sums of this period have no languages.")}</p>
      </Empty>
    );
  if (rows.length === 0)
    return (
      <Empty>
        <p>
          {search === ""
            ? t("No {what} in this period.", { what })
            : t("No {what} with “{text}”.", { what, text: isolated(label(search)) })}
        </p>
      </Empty>
    );
  const { few, bar } = columnsOf(tab.list, question, search !== "");
  return (
    <Incomparable.Provider value={isIncomparable}>
      {map}
      <ListTable
        caption={`${tab.label}, ${listed.format(few.map(({ label }) => label))}`}
        question={question}
        tab={tab}
        rows={isMap ? rows.slice(0, mapListRows) : rows}
        columns={few}
        bar={bar}
        fullBar={answer.data[0]?.[bar] ?? 0}
        isApproximate={answer.isApproximate}
      />
    </Incomparable.Provider>
  );
}

interface ToolsProps extends Omit<PanelListProps, "isImported"> {
  readonly list: List;
  readonly onWhole: () => void;
}

function Tools({ question, tab, list, onWhole }: ToolsProps) {
  const { offset, rows, previous, next, search, setSearch } = list;
  const what = noun(whatOf(tab));
  const pages = previous !== undefined || next !== undefined;
  return (
    <footer class="panel-tools">
      {tab.shows === "map" && rows.length > mapListRows && (
        <button type="button" class="plain" aria-haspopup="dialog" onClick={onWhole}>
          {t("{n} more country…|{n} more countries…", { n: rows.length - mapListRows })}
        </button>
      )}
      {tab.shows !== "map" && (
        <>
          <input
            type="search"
            aria-label={t("Search {what}", { what })}
            placeholder={t("Search")}
            value={search}
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
          {pages && (
            <span class="weak range">
              {offset + 1}–{offset + rows.length}
            </span>
          )}
          {pages && <Tool icon="back" label={t("Previous {what}", { what })} onClick={previous} />}
          {pages && <Tool icon="forward" label={t("Next {what}", { what })} onClick={next} />}
        </>
      )}
      <span class="spring" />
      <Tool
        icon="download"
        label={t("{what} as CSV", { what: whatOf(tab) })}
        onClick={() => void saveList(question, tab, search)}
      />
      <Tool icon="expand" label={t("All {what}", { what })} onClick={onWhole} />
    </footer>
  );
}
