/** The command that imports access logs. */
import { Collector } from "../../collect/fact.ts";
import type { Call, Command } from "../command.ts";
import { withControl, type Control } from "../control.ts";
import { inOrderOfTime } from "../import/file-order.ts";
import { LogImport, summed, type ImportReport } from "../import/log-import.ts";
import { progressOf, reportLines } from "../import/progress.ts";
import { LogSource } from "../import/source.ts";
import { Visitors } from "../import/visitors.ts";

export const importAccessLog: Command = {
  words: ["import", "access-log"],
  operands: ["FILE"],
  takesMore: true,
  flags: [{ name: "website", placeholder: "HOST", required: true }],
  description: "Import logs of Apache or nginx (combined format, plain or gzip, - for standard input)",
  run: async (call) => {
    const { terminal, clock } = call;
    const startMs = clock.monotonicMs();
    const paths = await inOrderOfTime(call.operands, terminal.input);
    const reports = await withControl(call, (control) => importAll(call, control, paths)).finally(() =>
      terminal.status(""),
    );
    const seconds = (clock.monotonicMs() - startMs) / 1_000;
    const hostname = call.flags.get("website") as string;
    for (const line of reportLines(summed(reports), hostname, seconds)) terminal.print(line);
  },
};

async function importAll(
  { clock, terminal, flags }: Call,
  control: Control,
  paths: readonly string[],
): Promise<readonly ImportReport[]> {
  const hostname = flags.get("website") as string;
  const common = { control, collector: new Collector(), visitors: new Visitors(), nowMs: clock.nowMs() };
  const reports: ImportReport[] = [];
  for (const path of paths) {
    const source = new LogSource(path, terminal.input);
    const log = new LogImport({ ...common, hostname });
    reports.push(await log.run(source.chunks(), progressOf(source, clock, terminal)));
  }
  return reports;
}
