/**
 * Scripts of people on a website, act by act, made from a seed. Acts that were done least come first, so that few
 * people already do everything. A script says what the browser is to do and which page it then shows, and no figure.
 */
export const paths = ["/", "/pricing", "/features", "/docs", "/blog/first"] as const;
/** The page to which the payment provider sends people back. */
export const paidPath = "/thanks";

/** How people come to the website. */
export const sources = {
  typed: { referrer: "", campaign: "" },
  search: { referrer: "https://www.google.com/", campaign: "" },
  hackerNews: { referrer: "https://news.ycombinator.com/item?id=1", campaign: "" },
  blog: { referrer: "https://blog.example/best-tools", campaign: "" },
  newsletter: { referrer: "", campaign: "may" },
  ad: { referrer: "", campaign: "spring" },
} as const;
const sourceNames = Object.keys(sources) as (keyof typeof sources)[];
/** A URL's query, by its campaign. */
export const queries = {
  "": "",
  may: "?utm_source=letter&utm_medium=email&utm_campaign=may",
  spring: "?utm_source=google&utm_medium=cpc&utm_campaign=spring",
} as const;

/** The referrer of pages that were opened from the website itself. */
export const within = "the website";
export const provider = "pay.example";

/** A page that the browser shows. */
export interface Shown {
  readonly path: string;
  readonly campaign: keyof typeof queries;
  /** The referrer that the page sees: a URL, `within` or "". */
  readonly referrer: string;
}

/** `hastes`: the page is left before the server says whether its visitor is new. */
export type Act =
  | { readonly does: "arrive" | "click"; readonly shows: Shown; readonly hastes: boolean }
  | { readonly does: Going; readonly shows: Shown }
  | { readonly does: "stay"; readonly seconds: number }
  | { readonly does: "sign up" | "leave" };
type Going = "open a tab" | "go on in the page" | "back" | "forward" | "reload" | "pay";

/** The acts of somebody between two moves of the clock. */
export interface Round {
  /** Minutes since the script began. */
  readonly minute: number;
  readonly acts: readonly Act[];
}

const roundsOfDay = 3;
/** Pauses that end a visit, and others. */
const pauses = [3, 14, 29, 31, 50];
/** People come on two days. */
const days = [0, 1];
const dayMinutes = 24 * 60;

/** The minutes of all rounds, by day. */
export function minutesOf(random: () => number): number[][] {
  return days.map((day) => {
    let minute = day * dayMinutes;
    return Array.from({ length: roundsOfDay }, () => (minute += pick(random, pauses)));
  });
}

function pick<T>(random: () => number, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

const deeds = [
  ...([
    "arrive",
    "click",
    "click twice",
    "open a tab",
    "go on in the page",
    "reload",
    "pay",
    "sign up",
  ] as const),
  ...(["back", "back and forward"] as const),
] as const;

/** Writes scripts, one after the other. */
export class Scripts {
  /** How often each act was chosen, and each source. */
  private readonly done = new Map<string, number>([...deeds, ...sourceNames].map((name) => [name, 0]));
  private walks = 0;

  constructor(readonly random: () => number) {}

  /** How often everything was done at least. */
  get timesDone(): number {
    return Math.min(...this.done.values());
  }

  /** Every day begins with an arrival and ends with all tabs closed; who has left does not return that day. */
  next(minutes: readonly (readonly number[])[]): Round[] {
    return minutes.flatMap((ofDay, day) => {
      if (day > 0 && this.random() < 0.4) return [];
      const walk = new Walk(this);
      // Now and then somebody looks at one page, and is gone before the server answers.
      const glances = ++this.walks % 8 === 0;
      const rounds = ofDay
        .filter((_, at) => (glances ? at === day : this.random() < 0.75))
        .map((minute) => ({ minute, acts: glances ? [walk.arrive(true)] : this.roundOf(walk) }));
      rounds.at(-1)?.acts.push({ does: "leave" });
      return rounds;
    });
  }

  /** Returns one of the names that were chosen least. */
  least<T extends string>(names: readonly T[]): T {
    const counts = names.map((name) => this.done.get(name) ?? 0);
    const fewest = Math.min(...counts);
    const name = pick(
      this.random,
      names.filter((_, at) => counts[at] === fewest),
    );
    this.done.set(name, fewest + 1);
    return name;
  }

  private roundOf(walk: Walk): Act[] {
    const acts: Act[] = [];
    for (let left = 1 + Math.floor(this.random() * 3); left > 0; left--) {
      acts.push(...walk.next(!acts.some((act) => "shows" in act)));
      if (this.random() < 0.6) acts.push({ does: "stay", seconds: 1 + Math.floor(this.random() * 20) });
    }
    return acts;
  }
}

/** The tab that somebody uses, with the pages that back and forward show. */
class Walk {
  private pages: (Shown | undefined)[] = [];
  private at = -1;
  /** Pages that were shown without a load. */
  private readonly goneOn = new Set<Shown>();

  constructor(private readonly scripts: Scripts) {}

  /** `rested`: no page was shown for some time. */
  next(rested: boolean): Act[] {
    const now = this.pages[this.at];
    if (now === undefined)
      return this.scripts.random() < 0.25 ? [this.arrive(true), this.click()] : [this.arrive(false)];
    // Whether a page that is shown again has its referrer depends on the browser, and for a page that was gone on to on
    // how its document was opened. It matters after a pause only.
    const canReturn = !rested && this.pages[this.at - 1] !== undefined;
    const canReload = !rested || !this.goneOn.has(now);
    const does = this.scripts.least(
      deeds.filter((deed) => (canReturn || !deed.startsWith("back")) && (canReload || deed !== "reload")),
    );
    switch (does) {
      case "arrive":
        return [this.arrive(false)];
      case "click":
        return [this.click()];
      case "click twice":
        return [{ ...this.click(), hastes: true }, this.click()];
      case "sign up":
        return [{ does }];
      case "reload":
        return [{ does, shows: now }];
      case "back and forward":
        return [
          { does: "back", shows: this.move(-1) },
          { does: "forward", shows: this.move(1) },
        ];
      default:
        return [{ does, shows: this.go(does, now) }];
    }
  }

  /** Somebody types an address or follows a link of another website. */
  arrive(hastes: boolean): Act {
    const { referrer, campaign } = sources[this.scripts.least(sourceNames)];
    return { does: "arrive", shows: this.push({ ...this.elsewhere(), campaign, referrer }), hastes };
  }

  private click() {
    return { does: "click", shows: this.push(this.elsewhere()), hastes: false } as const;
  }

  private go(does: Exclude<Going, "reload" | "forward">, { referrer }: Shown): Shown {
    const shown = this.elsewhere();
    switch (does) {
      case "back":
        return this.move(-1);
      case "go on in the page":
        // The document stays, and so does the referrer that it has when it is loaded again.
        this.goneOn.add(this.push({ ...shown, referrer }));
        return shown;
      case "pay":
        this.push(undefined);
        return this.push({ ...shown, path: paidPath, referrer: provider });
      case "open a tab":
        [this.pages, this.at] = [[], -1];
        return this.push(shown);
    }
  }

  /** Another page than the one that is shown, opened from it. */
  private elsewhere(): Shown {
    const now = this.pages[this.at]?.path;
    const others = paths.filter((path) => path !== now);
    return { path: pick(this.scripts.random, others), campaign: "", referrer: within };
  }

  private push<P extends Shown | undefined>(page: P): P {
    this.pages = [...this.pages.slice(0, ++this.at), page];
    return page;
  }

  private move(by: number): Shown {
    this.at += by;
    return this.pages[this.at] as Shown;
  }
}
