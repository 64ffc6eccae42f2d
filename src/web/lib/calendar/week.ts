/** The day on which weeks begin for the viewer. */
import { language, locale } from "../texts/words.ts";

/** 1 is Monday, 7 is Sunday, as in ISO 8601. */
export type Weekday = 1 | 2 | 3 | 4 | 5 | 6 | 7;

/** A browser may say it by a function, by a field, or not at all. */
interface Weeks {
  readonly getWeekInfo?: () => { readonly firstDay: number };
  readonly weekInfo?: { readonly firstDay: number };
}

/** The regions whose weeks do not begin on Monday, as CLDR has them, for browsers that do not know. */
const firstDays: readonly (readonly [Weekday, regions: string])[] = [
  [5, "MV"],
  [6, "AF BH DJ DZ EG IQ IR JO KW LY OM QA SD SY"],
  [
    7,
    "AG AS BD BR BS BT BW BZ CA CO DM DO ET GT GU HK HN ID IL IN IS JM JP KE KH KR LA MH MM MO MT MX MZ NI NP PA PE PH " +
      "PK PR PT PY SA SG SV TH TT TW UM US VE VI WS YE ZA ZW",
  ],
];

/** Returns the first day of the week in a locale, such as `de-AT`. Exported for tests. */
export function weekStartOf(locale: string): Weekday {
  const known = new Intl.Locale(locale);
  const weeks: Weeks = known;
  const info = weeks.getWeekInfo?.() ?? weeks.weekInfo;
  return info === undefined ? weekStartIn(known.maximize().region ?? "") : (info.firstDay as Weekday);
}

/** Returns the first day of the week in a region, such as `AT`. Exported for tests. */
export function weekStartIn(region: string): Weekday {
  return firstDays.find(([, regions]) => regions.split(" ").includes(region))?.[0] ?? 1;
}

/**
 * Returns the locale that says when weeks begin: that of the page, since people read its calendar. English without a
 * region is spoken everywhere, so that the browser's region counts there. Exported for tests.
 */
export function weekLocale(language: string, locale: string, browser: string): string {
  return language === "en" && locale === "en" ? browser : locale;
}

export const ownWeekStart = weekStartOf(
  weekLocale(language, locale, Intl.DateTimeFormat().resolvedOptions().locale),
);
