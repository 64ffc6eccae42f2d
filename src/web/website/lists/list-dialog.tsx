/** A list in full: every column, a hundred rows a page, search, a file. */
import { periodText } from "../../lib/calendar/period.ts";
import type { Question } from "../../lib/question/question.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Empty, Failed, Loading } from "../../parts/notice.tsx";
import { Tool } from "../../parts/tool.tsx";
import { columnsOf } from "./columns.ts";
import { saveList, useList, type List } from "./list.ts";
import { ListTable } from "./list-table.tsx";
import { whatOf, type Tab } from "./panels.ts";

const pageRows = 100;

interface ListDialogProps {
  readonly question: Question;
  readonly tab: Tab;
  readonly onClose: () => void;
}

export function ListDialog({ question, tab, onClose }: ListDialogProps) {
  const list = useList(question, tab, pageRows, columnsOf(tab.list, question).asked.all);
  return (
    <Dialog
      title={`${whatOf(tab)}: ${periodText(question.period, question.zone).toLowerCase()}`}
      wide
      onClose={onClose}
    >
      <div class="list-tools">
        <input
          type="search"
          aria-label={`Search all ${whatOf(tab).toLowerCase()}`}
          placeholder="Search"
          value={list.search}
          onInput={(event) => list.setSearch(event.currentTarget.value)}
        />
        <button type="button" onClick={() => void saveList(question, tab, list.search)}>
          <Icon name="download" /> CSV
        </button>
      </div>
      <div class="list-scroll" onClick={closeOnFilter(onClose)}>
        <Whole question={question} tab={tab} list={list} />
      </div>
      <footer class="panel-tools">
        <span class="weak range">
          {list.rows.length > 0 ? `${list.offset + 1}–${list.offset + list.rows.length}` : ""}
        </span>
        <Tool icon="back" label="Previous rows" onClick={list.previous} />
        <Tool icon="forward" label="Next rows" onClick={list.next} />
      </footer>
    </Dialog>
  );
}

/** Closes the dialog when a link in the list is clicked, whose figures the page behind shows. */
function closeOnFilter(onClose: () => void) {
  return (event: MouseEvent) => {
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
    if (plain && event.target instanceof Element && event.target.closest("a") !== null) onClose();
  };
}

function Whole({ question, tab, list }: Omit<ListDialogProps, "onClose"> & { readonly list: List }) {
  const { answer, rows } = list;
  if (answer.error !== undefined) return <Failed error={answer.error} what="this list" />;
  if (answer.data === undefined) return <Loading />;
  if (rows.length === 0) return <Empty>Nothing was found.</Empty>;
  const { all, bar } = columnsOf(tab.list, question);
  return (
    <ListTable
      caption={whatOf(tab)}
      question={question}
      tab={tab}
      rows={rows}
      columns={all}
      bar={bar}
      fullBar={100}
    />
  );
}
