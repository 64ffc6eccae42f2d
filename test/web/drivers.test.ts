/** The sentence about a day. Numbers are those of the machine's language, so none here has a separator. */
import { describe, expect, test } from "bun:test";
import type { Driver, Drivers } from "../../src/core/questions/answer.ts";
import { driversPath } from "../../src/web/lib/question/paths.ts";
import { driversSentence } from "../../src/web/lib/texts/drivers.ts";
import { questionOf, type Question } from "../../src/web/lib/question/question.ts";

const nowMs = Date.parse("2026-11-22T12:00:00Z");
const ofDay = "period=custom&from=2026-11-17&to=2026-11-17&timezone=UTC";

function question(search = ofDay): Question {
  return questionOf("example.com", new URLSearchParams(search), { visits: true });
}

function driver(dimension: Driver["dimension"], value: string, difference: number, share?: number): Driver {
  const ofFirst = share !== undefined && { of_first_percentage: share };
  return { dimension, value, current: 0, base: 0, difference, difference_percentage: 0, ...ofFirst };
}

function answer(difference: number, ...drivers: Driver[]): Drivers {
  return { current: 500, base: 500 - difference, difference, stands_out: true, base_periods: [], drivers };
}

function said(drivers: Drivers, search?: string): string {
  return driversSentence(question(search), drivers, nowMs, "en")
    ?.map((piece) => (typeof piece === "string" ? piece : piece.value))
    .join("");
}

const hackerNews = driver("referrer", "Hacker News", 379.5);
const post = driver("path", "/blog/post", 350, 92);

describe("the sentence", () => {
  test("says how much more, from where, and to what", () => {
    expect(said(answer(412, hackerNews, post))).toBe(
      "412 visitors more than usual on a Tuesday: 380 from Hacker News, most of them to /blog/post.",
    );
  });

  test("has what is no part of the first value on its own, and leaves out what is told already", () => {
    const drivers = [
      hackerNews,
      post,
      driver("country", "Germany", 300, 51),
      driver("browser", "Firefox", 290, 80),
      driver("path", "/pricing", 60, 0),
      driver("country", "France", 50, 20),
      driver("os", "Linux", 45, 10),
    ];
    expect(said(answer(412, ...drivers))).toBe(
      "412 visitors more than usual on a Tuesday: 380 from Hacker News, most of them to /blog/post and in Germany; " +
        "60 to /pricing; 50 in France.",
    );
  });

  test("says what is less, of the metric that is shown", () => {
    const less = answer(-1, driver("channel", "Search", -90), driver("path", "/", -40, 12));
    expect(said(less, `${ofDay}&metric=pageviews`)).toBe(
      "1 page view fewer than usual on a Tuesday: 90 fewer by way of Search; 40 fewer to /.",
    );
    expect(said(less, `${ofDay}&metric=bounce_percentage`)).toStartWith("1 visitor fewer");
    expect(said(answer(30), `${ofDay}&metric=visits`)).toBe(
      "30 visits more than usual on a Tuesday, and no source, page or country stands out.",
    );
  });

  test("of a day that is not over says so, and names what has no referrer", () => {
    const today = "period=today&timezone=UTC";
    expect(said(answer(9, driver("referrer", "", 9)), today)).toBe(
      "9 visitors more than usual by this time on a Sunday: 9 with the referrer .",
    );
  });

  test("says that nothing stands out, and that there is no base", () => {
    const ordinary = { ...answer(412, hackerNews), stands_out: false };
    expect(said(ordinary)).toBe("Nothing out of the ordinary for a Tuesday.");
    expect(said(ordinary, "period=today&timezone=UTC")).toBe(
      "So far nothing out of the ordinary for a Sunday.",
    );
    expect(said(ordinary, "period=24h&timezone=UTC")).toBe("Nothing out of the ordinary.");
    expect(said({ ...ordinary, stands_out: true }, "period=24h&timezone=UTC")).toStartWith(
      "412 visitors more than usual in these 24 hours",
    );
    const first = { current: 5, stands_out: false, base_periods: [], drivers: [] };
    const noTuesday = "No earlier Tuesday to compare with yet.";
    expect(said(first)).toBe(noTuesday);
    expect(said(first, "period=24h&timezone=UTC")).toBe("No earlier weeks to compare with yet.");
    // Nobody came on these days either: another one is not ordinary by them.
    expect(said({ ...ordinary, base: 0, difference: 2 })).toBe(noTuesday);
    expect(said({ ...ordinary, base: 0, stands_out: true })).toStartWith("412 visitors more than usual");
  });
});

describe("the path", () => {
  test("asks about a day, by visit, in the zone of the page, without a goal", () => {
    const path = driversPath(question(`${ofDay}&metric=visits&goal=3&country[eq]=Germany`), nowMs);
    const [own, query] = (path as string).split("?") as [string, string];
    expect(own).toBe("/website/example.com/drivers");
    expect(Object.fromEntries(new URLSearchParams(query))).toEqual({
      start: "2026-11-17T00:00:00.000Z",
      end: "2026-11-17T23:59:59.999Z",
      "country[eq]": "Germany",
      by: "visit",
      metric: "visits",
      timezone: "UTC",
    });
  });

  test("is missing for other periods", () => {
    for (const period of ["7d", "30d", "all"])
      expect(driversPath(question(`period=${period}&timezone=UTC`), nowMs)).toBeUndefined();
    // A day of 25 hours.
    const long = "period=custom&from=2026-10-25&to=2026-10-25&timezone=Europe/Berlin";
    expect(driversPath(question(long), nowMs)).toContain("start=2026-10-24T22:00:00.000Z");
  });
});
