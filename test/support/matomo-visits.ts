/**
 * Answers of Matomo's API in JSON (`Live.getLastVisitsDetails`), made by hand after its source: `plugins/Live/VisitorDetails.php`
 * and those of the plug-ins Actions, Events, Referrers, DevicesDetection, UserLanguage and UserCountry, versions 3 to 5. Actions have
 * the time on the clock of the website, and visits that of UTC.
 */
import { madeHost, type MadeView } from "./made-up-people.ts";

/** The website's time zone in Matomo, whose days begin so many seconds before those of UTC. */
export const matomoOffset = 7_200;
const visitFields = {
  referrerType: "direct",
  referrerName: "",
  referrerKeyword: "",
  referrerUrl: "",
  browserName: "Firefox Mobile",
  operatingSystemName: "GNU/Linux",
  deviceType: "Smartphone",
  countryCode: "ro",
  languageCode: "ro-ro",
};

export interface MatomoAction {
  readonly type: string;
  readonly timestamp: number;
  readonly [field: string]: unknown;
}

/** Makes a visit as the API has it, of actions by the seconds since 1970. */
export function matomoVisit(idVisit: number, actions: readonly MatomoAction[], fields: object = {}) {
  const actionDetails = actions.map((action) => ({ ...action, timestamp: action.timestamp + matomoOffset }));
  const firstActionTimestamp = Math.min(...actions.map(({ timestamp }) => timestamp));
  return {
    idSite: "1",
    idVisit: String(idVisit),
    visitorId: false,
    ...visitFields,
    ...fields,
    actionDetails,
    firstActionTimestamp,
  };
}

function actionOf({ kind, timeMs, path, name, durationMs }: MadeView): MatomoAction {
  const url = `https://${madeHost}${path}`;
  const timestamp = timeMs / 1_000;
  return kind === "event"
    ? {
        type: "event",
        url,
        timestamp,
        eventCategory: "Form",
        eventAction: name,
        eventName: "plan",
        eventValue: 5,
      }
    : {
        type: "action",
        url,
        timestamp,
        timeSpent: durationMs === null ? undefined : String(Math.floor(durationMs / 1_000)),
      };
}

/** Answers of the API for two times, the visit that ended last first. */
export function matomoAnswers(views: readonly MadeView[]): string {
  const visits = [...Map.groupBy(views, ({ visit }) => visit)].map(([visit, own]) => {
    const url = own[0]!.referrer;
    const visitorId = own[0]!.person.toString(16).padStart(16, "0");
    return matomoVisit(visit, own.map(actionOf), {
      visitorId,
      referrerType: url === "" ? "direct" : "website",
      referrerUrl: url || null,
    });
  });
  const newestFirst = visits.toReversed();
  return JSON.stringify(newestFirst.slice(0, 40)) + JSON.stringify(newestFirst.slice(40));
}
