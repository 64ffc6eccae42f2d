/** The command that imports an access log. */
import { Collector } from "../../collect/fact.ts";
import type { Command } from "../command.ts";
import { withControl } from "../control.ts";
import { LogImport } from "../import/log-import.ts";
import { progressOf, reportLines } from "../import/progress.ts";
import { LogSource } from "../import/source.ts";

export const importAccessLog: Command = {
  words: ["import", "access-log"],
  operands: ["FILE"],
  flags: [{ name: "website", placeholder: "HOST", required: true }],
  description: "Import a log of Apache or nginx (combined format, plain or gzip, - for standard input)",
  run: async (call) => {
    const { terminal, clock } = call;
    const hostname = call.flags.get("website") as string;
    const startMs = clock.monotonicMs();
    const source = new LogSource(call.operands[0] as string, terminal.input);
    const report = await withControl(call, (control) => {
      const log = new LogImport({ control, collector: new Collector(), hostname, nowMs: clock.nowMs() });
      return log.run(source.chunks(), progressOf(source, clock, terminal));
    }).finally(() => terminal.status(""));
    const seconds = (clock.monotonicMs() - startMs) / 1_000;
    for (const line of reportLines(report, hostname, seconds)) terminal.print(line);
  },
};
