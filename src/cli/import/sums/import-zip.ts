/** Imports the export of a product that knows sums of days only, as the command is told. */
import { badInput, shown } from "../../../core/refusal.ts";
import { commandLine, shellWord } from "../../callable.ts";
import type { Call } from "../../command.ts";
import { withControl } from "../../control/control.ts";
import { nowAndThen, progressBar } from "../../terminal/progress.ts";
import { expectZipFormat } from "../formats/formats.ts";
import type { DaySpan } from "../options.ts";
import { mayBeOther } from "../report/questions.ts";
import { importMonths, monthsLines } from "./months.ts";
import { plausibleExport, plausibleText } from "./plausible.ts";
import { withFile } from "./zip.ts";

/** `span`: months that have other days are left out. Throws Refusal and DiskError. */
export async function importZip(
  call: Call,
  hostname: string,
  paths: readonly string[],
  span: DaySpan,
): Promise<void> {
  const { terminal, flags, clock } = call;
  const [path = ""] = paths;
  if (paths.length > 1) throw badInput("FILE", paths.join(" "), "a ZIP alone, or other files");
  expectZipFormat("--format", flags.get("format"));
  const show = nowAndThen(clock, terminal);
  const pipeLine = `unzip -p ${shellWord(path)} | ${inputLine(call)}`;
  const { months, foreignHosts } = await withFile(path, (bytes) =>
    plausibleExport(
      bytes,
      { hostname, shownPath: shown(path), pipeLine },
      clock.nowMs(),
      undefined,
      (done, all) => show(() => progressBar(done / all)),
    ),
  ).finally(() => terminal.status(""));
  terminal.print(`${path} is ${plausibleText}`);
  if (!(await mayBeOther(call, foreignHosts, hostname))) return;
  const isDryRun = flags.has("dry-run");
  const imported = await withControl(call, (control) =>
    importMonths({ control, hostname, months, ...span, isDryRun }),
  );
  for (const line of monthsLines(imported, hostname)) terminal.print(line);
  if (isDryRun) terminal.print("a dry run: nothing was imported");
}

/** Returns the line that imports standard input into the same website. */
export function inputLine({ operands: [hostname = ""], settings }: Call): string {
  return commandLine(["import", hostname, "-"], settings.folder);
}
