/** Says in words what an alert is about. */
import { hourMs } from "../core/hit.ts";
import type { Website } from "../accounts/registry/registry.ts";
import type { Due, Subscription } from "../core/website/subscription.ts";
import { displayHostname } from "../core/addresses/display-hostname.ts";
import type { Words } from "../core/words/translated-words.ts";
import { strangerText } from "./stranger-text.ts";

export interface Alert {
  readonly title: string;
  readonly text: string;
}

/** Returns GB with one decimal at the most. */
function gigabytes(bytes: number): number {
  return Math.round(bytes / 1e8) / 10;
}

export function makeAlert(
  website: Website,
  { kind, timezone, threshold, goalId }: Subscription,
  due: Due,
  words: Words,
): Alert {
  const { t, language } = words;
  const hostname = displayHostname(website.hostname);
  const { value, expected, forMs } = due;
  const inZone = (ms: number, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { timeZone: timezone, ...options }).format(ms);
  const day = inZone(forMs, { dateStyle: "medium" });
  /** A message may come late, and to somebody elsewhere: the time says its zone. */
  const timeAt = (ms: number) => inZone(ms, { hour: "numeric", minute: "2-digit", timeZoneName: "short" });
  switch (kind) {
    case "spike":
    case "drop":
      return {
        title:
          kind === "spike"
            ? t("{hostname} has many more visitors than usual", { hostname })
            : t("{hostname} has far fewer visitors than usual", { hostname }),
        text: t(
          "{value} visitors between {from} and {to}. At this time of the week there are usually {expected}.",
          {
            from: `${day}, ${inZone(forMs, { timeStyle: "short" })}`,
            to: timeAt(forMs + hourMs),
            value,
            expected,
          },
        ),
      };
    case "silence":
      return {
        title: t("{hostname} has no page views", { hostname }),
        text: t(
          "There was none for {n} hour, since {time}. Is the tracker still in the pages?|There was none for {n} hours, since {time}. Is the tracker still in the pages?",
          { n: threshold, time: `${day}, ${timeAt(forMs)}` },
        ),
      };
    case "goal": {
      const name = website.goals.list.find(({ id }) => id === goalId)?.name ?? "";
      return {
        title: t("{hostname}: a goal was reached", { hostname }),
        text: t("“{name}” was reached {n} time on {day}.|“{name}” was reached {n} times on {day}.", {
          name: strangerText(name),
          n: value,
          day,
        }),
      };
    }
    default:
      return {
        title: t("The disk of your statistics is nearly full"),
        text: t("{free} GB of {total} GB are free. When it is full, hits are refused.", {
          free: gigabytes(value),
          total: gigabytes(expected),
        }),
      };
  }
}
