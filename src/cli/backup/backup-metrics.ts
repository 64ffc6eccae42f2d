/** Figures of the backups that a server makes itself, for monitoring systems. */
import { Counter, gaugeLines } from "../../lib/metrics.ts";

export class BackupMetrics {
  private newestMs = 0;
  private readonly tried = new Counter(
    {
      name: "footfall_backups_total",
      help: "Backups that this process made as its settings say, and those that failed",
      labels: ["outcome"],
    },
    [["made"], ["failed"]],
  );

  note(outcome: "made" | "failed"): void {
    this.tried.add(outcome);
  }

  /** `madeMs`: when the newest good backup was made, by whichever process. */
  noteNewest(madeMs: number): void {
    this.newestMs = madeMs;
  }

  lines(): string[] {
    const name = "footfall_backup_last_success_timestamp_seconds";
    const help = "When the newest good backup was made, in seconds since 1970; 0 if none is known";
    return [...gaugeLines({ name, help }, this.newestMs / 1_000), ...this.tried.lines()];
  }
}
