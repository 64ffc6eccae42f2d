/** The counts of the lines of one file, of which the report of an import is made. */
import { addHost } from "./foreign-hosts.ts";
import { noneLeftOut, type ImportReport, type LeftOut } from "./report.ts";

/** The most lines that are named with what is wrong with them. */
const troublesMax = 10;

export class Tally {
  taken = 0;
  events = 0;
  values = 0;
  disordered = 0;
  readonly leftOut = { ...noneLeftOut } as Record<LeftOut, number>;
  /** The hosts of the lines that were left out for theirs. */
  readonly hosts = new Map<string, number>();
  private unreadableAt = 0;
  private readonly troubles: string[] = [];

  /** `trouble`: why a line is unreadable, where its format can say it. */
  leave(reason: LeftOut, lineNumber: number, trouble: string | undefined): void {
    this.leftOut[reason]++;
    if (reason !== "unreadable") return;
    if (this.unreadableAt === 0) this.unreadableAt = lineNumber;
    if (trouble !== undefined && this.troubles.length < troublesMax)
      this.troubles.push(`line ${lineNumber}: ${trouble}`);
  }

  leaveHost(host: string): void {
    addHost(this.hosts, host);
  }

  report(unit: ImportReport["unit"]): ImportReport {
    const { taken, events, unreadableAt, disordered } = this;
    const leftOut = { ...this.leftOut };
    return {
      unit,
      lines: Object.values(leftOut).reduce((sum, count) => sum + count, taken + events),
      taken,
      events,
      ...(this.values > 0 && { values: this.values }),
      leftOut,
      ...(this.hosts.size > 0 && { hosts: this.hosts }),
      unreadableAt,
      disordered,
      ...(this.troubles.length > 0 && { troubles: this.troubles }),
    };
  }
}
