/**
 * Counters and histograms, and their text for Prometheus (exposition format 0.0.4). Labels come from tables of the program
 * and never from strangers, so that nobody makes new series.
 */

type Labels = Readonly<Record<string, string>>;

interface Family {
  readonly name: string;
  readonly help: string;
}

/** Sums that only rise, one for each combination of labels. */
export class Counter {
  private readonly sums = new Map<string, { readonly values: readonly string[]; sum: number }>();

  /** `first`: values of the labels that are there from the beginning, with 0. */
  constructor(
    readonly family: Family & { readonly labels: readonly string[] },
    first: readonly (readonly string[])[] = [],
  ) {
    for (const values of first) this.sums.set(values.join("\n"), { values, sum: 0 });
  }

  /** `values`: those of the labels, in their order. */
  add(...values: readonly string[]): void {
    const key = values.join("\n");
    this.sums.getOrInsertComputed(key, () => ({ values, sum: 0 })).sum++;
  }

  lines(): string[] {
    const { name, labels } = this.family;
    const rows = this.sums.values().map(({ values, sum }) => {
      const pairs = labels.map((label, at) => [label, values[at] ?? ""]);
      return `${name}${labelsText(Object.fromEntries(pairs))} ${sum}`;
    });
    return [...headOf(this.family, "counter"), ...rows];
  }
}

/** How many observations were at most so large, one histogram for each value of its label. */
export class Histogram {
  private readonly rows = new Map<string, { readonly counts: number[]; sum: number }>();

  /** `bounds`: rising, in the unit of the observations. */
  constructor(
    readonly family: Family & { readonly label: string },
    private readonly bounds: readonly number[],
  ) {}

  observe(label: string, value: number): void {
    const none = () => ({ counts: new Array<number>(this.bounds.length + 1).fill(0), sum: 0 });
    const row = this.rows.getOrInsertComputed(label, none);
    const at = this.bounds.findIndex((bound) => value <= bound);
    const bucket = at < 0 ? this.bounds.length : at;
    row.counts[bucket] = row.counts[bucket]! + 1;
    row.sum += value;
  }

  lines(): string[] {
    const { name, label } = this.family;
    const rows = Array.from(this.rows).flatMap(([value, { counts, sum }]) => {
      let below = 0;
      const own = { [label]: value };
      const buckets = counts.map((count, at) => {
        below += count;
        return `${name}_bucket${labelsText({ ...own, le: String(this.bounds[at] ?? "+Inf") })} ${below}`;
      });
      return [...buckets, `${name}_sum${labelsText(own)} ${sum}`, `${name}_count${labelsText(own)} ${below}`];
    });
    return [...headOf(this.family, "histogram"), ...rows];
  }
}

/** Returns the lines of a figure that is read when it is asked for. */
export function gaugeLines(family: Family, value: number, labels: Labels = {}): string[] {
  return [...headOf(family, "gauge"), `${family.name}${labelsText(labels)} ${value}`];
}

/** Returns the lines of a sum without labels that only rises. */
export function counterLines(family: Family, value: number): string[] {
  return [...headOf(family, "counter"), `${family.name} ${value}`];
}

/** Returns the lines of such figures, one for each value of a label. */
export function gaugesLines(
  family: Family & { readonly label: string },
  values: Readonly<Record<string, number>>,
): string[] {
  const rows = Object.entries(values).map(
    ([value, figure]) => `${family.name}${labelsText({ [family.label]: value })} ${figure}`,
  );
  return [...headOf(family, "gauge"), ...rows];
}

function headOf({ name, help }: Family, type: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function labelsText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}
