/** The table of the panels on a website's page, and the lists in them. */
import type { FilterName, ListName } from "../../../core/dimension.ts";
import type { NameField } from "../../../core/query.ts";

export interface Tab {
  readonly id: string;
  readonly label: string;
  /** The name of the list, if the label does not say it. */
  readonly what?: string;
  /** The list's name in the API. */
  readonly list: ListName | "time" | "properties";
  /** The field that names a row. */
  readonly field: NameField;
  /** The filter that a click on a row adds. */
  readonly filter: FilterName;
  /** The parameters of the list. */
  readonly extra?: Readonly<Record<string, boolean>>;
  /** The label of the empty value. */
  readonly none?: string;
  readonly shows?: "map";
}

export interface Panel {
  readonly id: string;
  readonly title: string;
  readonly tabs: readonly [Tab, ...Tab[]];
}

const utm = (word: "source" | "medium" | "campaign", label: string): Tab => ({
  id: `${word}s`,
  label: `${label}s`,
  list: `${word}s`,
  field: word,
  filter: `utm_${word}`,
});
const direct = "Direct / none";

export const panels: readonly Panel[] = [
  {
    id: "pages",
    title: "Pages",
    tabs: [
      { id: "pages", label: "Pages", list: "pages", field: "path", filter: "path" },
      { id: "time", label: "Time on page", list: "time", field: "path", filter: "path" },
    ],
  },
  {
    id: "sources",
    title: "Sources",
    tabs: [
      {
        id: "referrers",
        label: "Referrers",
        list: "referrers",
        field: "referrer",
        filter: "referrer",
        none: direct,
      },
      {
        id: "links",
        label: "Links",
        list: "referrers",
        field: "referrer",
        filter: "referrer",
        none: direct,
        extra: { grouped: false },
      },
      utm("campaign", "Campaign"),
      utm("source", "Source"),
      utm("medium", "Medium"),
    ],
  },
  {
    id: "places",
    title: "Places",
    tabs: [
      {
        id: "map",
        label: "Map",
        what: "Countries",
        list: "countries",
        field: "country",
        filter: "country",
        shows: "map",
      },
      { id: "countries", label: "Countries", list: "countries", field: "country", filter: "country" },
      { id: "languages", label: "Languages", list: "languages", field: "language", filter: "language" },
      {
        id: "dialects",
        label: "Dialects",
        list: "languages",
        field: "language",
        filter: "language",
        extra: { locale: true },
      },
    ],
  },
  {
    id: "systems",
    title: "Systems",
    tabs: [
      { id: "browsers", label: "Browsers", list: "browsers", field: "browser", filter: "browser" },
      { id: "os", label: "Systems", list: "os", field: "os", filter: "os" },
      { id: "devices", label: "Devices", list: "devices", field: "device", filter: "device" },
    ],
  },
];

export const properties: Panel = {
  id: "properties",
  title: "Properties",
  tabs: [{ id: "names", label: "Properties", list: "properties", field: "name", filter: "prop_name" }],
};

/** Replaces the list of properties once one name is filtered for. */
export const propertyValues: Tab = {
  id: "values",
  label: "Values",
  list: "properties",
  field: "value",
  filter: "prop_value",
  none: "(empty)",
};

/** Returns, in words, what a tab lists. */
export function whatOf({ label, what = label }: Tab): string {
  return what;
}
