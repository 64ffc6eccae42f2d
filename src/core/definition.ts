/**
 * The one table of what figures mean, in words for people. The dashboard explains each figure where it stands, lists
 * all on a page of their own, and the OpenAPI document describes the fields of rows by it.
 */
import { bounceMs, engagedMs } from "./hit.ts";
import { metrics, type Format, type MetricName } from "./questions/metric.ts";

const ofAll = "of the same period under the same filters";

/** A sentence or two for each metric. Units are left out: they follow from its format. */
export const definitions: Readonly<Record<MetricName, string>> = {
  visitors:
    "Browsers that opened the website for the first time that day, which their cache tells without a cookie. Visitors of " +
    "several days are the sum of the days. In lists of pages, and under a filter by page or property: browsers that " +
    "opened a page for the first time that day.",
  visitors_percentage:
    `The share of all visitors ${ofAll}. A page that everybody saw has 100 %, and no page more, even where a period begins ` +
    "within a day and the page has more visitors than the website.",
  pageviews: "Pages that were loaded, or shown by an application without a load.",
  pageviews_percentage: `The share of all page views ${ofAll}.`,
  bounce_percentage:
    "Of the visits that are over, the share with one page view, no event, and not known to have been visible for " +
    `${engagedMs / 1_000} seconds. A visit is over after 30 minutes without a hit. In a list: of the visits that begin in the row.`,
  time_total: "How long the page views were visible together, as far as it is known.",
  duration_percentage: `The share of the total time of all page views ${ofAll}.`,
  time_median: "Half of the page views whose time is known were longer.",
  duration_lower_quartile: "A quarter of the page views whose time is known were shorter.",
  duration_upper_quartile: "A quarter of the page views whose time is known were longer.",
  events: "Properties of custom events and page views, each counted where it was sent.",
  events_percentage: `The share of all events ${ofAll}.`,
  visits:
    "Page views and events of one visitor without a pause of 30 minutes, at most 12 hours long. A new campaign begins a " +
    "new visit. In a list: the visits with a page view or event in the row; one may count in several rows.",
  visits_percentage: `The share of all visits ${ofAll}; in entry and exit pages, of the visits that begin or end with these page views.`,
  views_per_visit: "Page views that belong to a visit, divided by visits.",
  time_per_visit:
    "How long the pages of a visit were visible together, on average over the visits with a known time.",
  exit_percentage:
    "In the list of exits: of the page views of the page, the share that was the last of a visit so far. A page that many " +
    "leave may be one that many see.",
  conversions:
    "Visits that reached the goal in the period, even by a page view or event that is not in this row.",
  conversion_percentage: "Of the visits, the share that reached the goal in the period.",
  amount:
    "The sum of the numbers with which these visits reached the goal in the period, even by a page view or event " +
    "that is not in this row; in a chart, at the time of their page view, and in a total or chart without filters also those of no visit; of a property, the " +
    "numbers of the events that have it. Amounts sent as text are not added up.",
};

/** The words for what stands beside the figures. */
export const otherDefinitions = {
  bounce_of_views: {
    label: "Bounce rate without visits",
    text:
      "Of the visitors' first page views whose time is known, the share under " +
      `${bounceMs / 1_000} seconds and without an event.`,
  },
  live: {
    label: "Visitors now",
    text: "Visitors whose first page view of the day was within the last five minutes.",
  },
  live_visits: {
    label: "Visits now",
    text: "Visits with a page view, an event or another sign of life within the last five minutes.",
  },
  source: {
    label: "Sources",
    text:
      "Referrer and campaign are those of the page view that carried them. The pages that somebody read next came from " +
      "the website itself, and are direct.",
  },
  visit_source: {
    label: "Sources of visits",
    text:
      "Referrer and campaign of the visit's first page view are those of the whole visit. Unknown is the source without " +
      "a visit, and of a visit that begins with a link of the website itself without campaign tags, as after a pause of 30 minutes or a " +
      "start of the server.",
  },
  goal_visits: {
    label: "Visits that reached a goal",
    text:
      "Visits that the filters select, and that reached the goal in the period, even by a page view or event that they do not select. " +
      "A link with filters counts only what its own filters select.",
  },
  goal_share: {
    label: "Conversion rate of a goal",
    text: `The share of all visits ${ofAll} that reached the goal in the period.`,
  },
  goal_times: {
    label: "Times of a goal",
    text:
      "How often the goal was reached: its page views, or its events. An event counts on the day of its page view; in " +
      "Properties, on its own. A visit may reach it several times. Without filters, " +
      "times and amount also have what belongs to no visit, such as an order that a server sends without an address, so that " +
      "the rows of a list may sum to less.",
  },
  goal_amount: {
    label: "Amount of a goal",
    text:
      "The sum of the number that came with the events of the goal, in the property that it names, on the day of " +
      "their page view. Amounts sent as text are not added up: attributes of a page send text.",
  },
  goal_average: {
    label: "Average of amounts",
    text: "The amount divided by the times: what the goal brought each time. A time without an amount counts as 0.",
  },
  step_share: {
    label: "Of the step before",
    text: "The share of the visits at the step before that went on to this one; for the first step, of all visits.",
  },
  visit_share: {
    label: "Of all visits",
    text: `The share of all visits ${ofAll} that did this step and all before it.`,
  },
  stays: {
    label: "Times from page to page",
    text:
      "How often visits went straight from one page to the other. A page that is loaded again at once counts " +
      "once.",
  },
  other_pages: {
    label: "(other) of pages before and after",
    text: "All other pages: those past the end of this list, and those that are not kept apart.",
  },
  other: {
    label: "(other)",
    text:
      "All values that are not kept apart. A website keeps 50,000 values of a list, then 10,000 new ones a day, so that " +
      "nobody fills its memory. The rest counts in every total and in this row, which is no filter.",
  },
} as const;

export type Term = MetricName | keyof typeof otherDefinitions;

/** Returns the words for a figure, or for what else is explained. */
export function definitionOf(term: Term): string {
  return term in otherDefinitions
    ? otherDefinitions[term as keyof typeof otherDefinitions].text
    : definitions[term as MetricName];
}

const units: Readonly<Record<Format, string>> = {
  count: "",
  ratio: " With two decimals.",
  percentage: " From 0 to 100, with two decimals.",
  duration: " In milliseconds.",
  amount: "",
};

/** Returns the definition of a metric for programs, which need its unit, and may ask by visit or not. */
export function describedMetric(name: MetricName): string {
  const { text } = otherDefinitions.bounce_of_views;
  const more =
    name === "bounce_percentage" ? ` Without visits: ${text[0]!.toLowerCase()}${text.slice(1)}` : "";
  return definitions[name] + more + units[metrics[name].format];
}
