/** One of the API's lists: page by page, and searched. */
import { useState } from "preact/hooks";
import type { AnyRow } from "../../../core/questions/answer.ts";
import { limitMax, offsetMax } from "../../../core/questions/query.ts";
import { useAnswer, type Answer } from "../../lib/answer.ts";
import { containing } from "../../lib/texts/names.ts";
import { comparedPairs, listPath, type Parameters } from "../../lib/question/paths.ts";
import { type Question } from "../../lib/question/question.ts";
import type { Tab } from "./panels.ts";

export interface List {
  readonly answer: Answer<readonly AnyRow[]>;
  /** The rows of this page. */
  readonly rows: readonly AnyRow[];
  readonly offset: number;
  readonly search: string;
  readonly setSearch: (text: string) => void;
  /** Undefined if there is no such page. */
  readonly previous: (() => void) | undefined;
  readonly next: (() => void) | undefined;
}

/** Returns `question` with the searched text as one more filter. */
export function searched(question: Question, tab: Tab, search: string): Question {
  const filter = containing(tab.filter, search);
  return search === "" ? question : { ...question, filters: [...question.filters, filter] };
}

/** `pageRows`: the number of rows on a page. `shown`: the parameters for the columns that are shown. */
export function useList(question: Question, tab: Tab, pageRows: number, shown: Parameters): List {
  const [search, setSearch] = useState("");
  const asked = searched(question, tab, search);
  const about = listPath(asked, tab.list, { ...tab.extra });
  // Another question starts at its first page.
  const [page, setPage] = useState({ about, offset: 0 });
  const offset = page.about === about ? page.offset : 0;
  const window = { limit: Math.min(limitMax, pageRows + 1), offset };
  const answer = useAnswer<readonly AnyRow[]>(
    listPath(asked, tab.list, { ...tab.extra, ...shown, ...window, ...comparedPairs(asked) }),
  );
  const more = (answer.data?.length ?? 0) > pageRows && offset + pageRows <= offsetMax;
  return {
    answer,
    rows: answer.data?.slice(0, pageRows) ?? [],
    offset,
    search,
    setSearch,
    previous: offset === 0 ? undefined : () => setPage({ about, offset: Math.max(0, offset - pageRows) }),
    next: more ? () => setPage({ about, offset: offset + pageRows }) : undefined,
  };
}
