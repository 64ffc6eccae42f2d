/**
 * The table of the panels on a website's page, and the lists in them. Every dimension has a tab in the panel of its
 * column.
 */
import {
  listedDimensions,
  type ColumnName,
  type ListedDimension,
  type ListName,
} from "../../../core/questions/dimension.ts";
import type { FilterName } from "../../../core/questions/stored-dimension.ts";
import type { NameField } from "../../../core/questions/answer.ts";
import type { Filter } from "../../../core/questions/query.ts";
import { mayAskEntry } from "../../../core/website/link.ts";
import { t, translated } from "../../lib/texts/words.ts";

export interface Tab {
  readonly id: string;
  readonly label: string;
  /** The name of the list, if the label does not say it. */
  readonly what?: string;
  /** The list's name in the API. */
  readonly list: ListName | "entries" | "exits" | "time" | "properties";
  /** The field that names a row. */
  readonly field: NameField;
  /** The filter that a click on a row adds. */
  readonly filter: FilterName;
  /** The parameters of the list. */
  readonly extra?: Readonly<Record<string, boolean>>;
  readonly shows?: "map";
}

export interface Panel {
  readonly id: string;
  readonly title: string;
  readonly tabs: readonly [Tab, ...Tab[]];
}

/** Makes the tab of a dimension's list. */
function tabOf({ list, field, name, label }: ListedDimension): Tab {
  return { id: list, label: translated(label.many), list, field, filter: name };
}

function tab(name: ListedDimension["name"]): Tab {
  return tabOf(listedDimensions.find((dimension) => dimension.name === name) as ListedDimension);
}

/** Makes the panel of a column's dimensions. Those that `tabs` lacks come at its end, in the order of their table. */
function panel(id: string, title: string, column: ColumnName, tabs: Panel["tabs"]): Panel {
  const others = listedDimensions.filter(
    ({ column: own, list }) => own === column && !tabs.some((known) => known.list === list),
  );
  return { id, title, tabs: [...tabs, ...others.map(tabOf)] };
}

/** The tabs of pages that only visits have. A visit is found again by its entry page, a page that people left by its path. */
const ofVisits: readonly Tab[] = [
  { id: "entries", label: t("Entry pages"), list: "entries", field: "path", filter: "entry" },
  { id: "exits", label: t("Exit pages"), list: "exits", field: "path", filter: "path" },
];

/** The same where no visits are found by their entry page. */
const withoutEntry = ofVisits.map((tab): Tab => ({ ...tab, filter: "path" }));

const pages = (more: readonly Tab[]) =>
  panel("pages", t("Pages"), "path", [
    tab("path"),
    ...more,
    { ...tab("path"), id: "time", label: t("Time on page"), list: "time" },
  ]);

const others: readonly Panel[] = [
  panel("sources", t("Sources"), "source", [
    tab("channel"),
    tab("referrer"),
    { ...tab("referrer"), id: "links", label: t("Links"), extra: { grouped: false } },
    tab("utm_campaign"),
  ]),
  panel("places", t("Places"), "place", [
    { ...tab("country"), id: "map", label: t("Map"), what: t("Countries"), shows: "map" },
    tab("country"),
    tab("language"),
    { ...tab("language"), id: "dialects", label: t("Dialects"), extra: { locale: true } },
  ]),
  panel("systems", t("Systems"), "client", [tab("browser")]),
];

const panels = {
  visits: [pages(ofVisits), ...others],
  withoutEntry: [pages(withoutEntry), ...others],
  views: [pages([]), ...others],
};

/** `visits`: whether the website tells visits apart; `held`: the filters of the link by which it is shown. */
export function panelsOf(visits: boolean, held: readonly Filter[] = []): readonly Panel[] {
  if (!visits) return panels.views;
  return mayAskEntry(held) ? panels.visits : panels.withoutEntry;
}

export const properties: Panel = {
  id: "properties",
  title: t("Properties"),
  tabs: [{ id: "names", label: t("Properties"), list: "properties", field: "name", filter: "prop_name" }],
};

/** Replaces the list of properties once one name is filtered for. */
export const propertyValues: Tab = {
  id: "values",
  label: t("Values"),
  list: "properties",
  field: "value",
  filter: "prop_value",
};

/** Returns, in words, what a tab lists. */
export function whatOf({ label, what = label }: Tab): string {
  return what;
}
