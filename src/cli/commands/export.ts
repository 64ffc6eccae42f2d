/** The command that writes what a website has, for other programs and for another server. */
import { existsSync, statSync } from "node:fs";
import {
  exportEndings,
  exportFormats,
  exportKinds,
  type ExportEnding,
} from "../../core/questions/exported.ts";
import { badInput, Refusal, shown } from "../../core/refusal.ts";
import type { Call, Command } from "../command.ts";
import { withControl } from "../control/control.ts";
import { knownWord } from "../../engine/admin/fields.ts";
import { expectOutside, isStream, outputAt } from "../output-file.ts";
import { confirmed } from "../terminal/terminal.ts";
import { megabytes, nowAndThen } from "../terminal/progress.ts";
import { askedPeriod, periodsText } from "../stats/period.ts";
import { localZone, timeZoneFlag } from "../stats/zone.ts";

const endingsText = exportEndings.map((ending) => `.${ending}`).join(", ");

export const exportRows: Command = {
  words: ["export"],
  operands: ["HOST"],
  flags: [
    {
      name: "format",
      placeholder: "FORMAT",
      description: `${exportFormats.join(" or ")} (default: what the file's name ends with, else ${exportFormats[0]})`,
    },
    {
      name: "of",
      placeholder: "KIND",
      description: `One of ${exportKinds.join(", ")} (default: ${exportKinds[0]}, which an import takes)`,
    },
    {
      name: "period",
      placeholder: "PERIOD",
      description: `One of ${periodsText} (default: all)`,
    },
    timeZoneFlag,
    {
      name: "out",
      placeholder: "FILE",
      description: "The file, packed if its name ends with .gz or .zst; - for standard output (default)",
    },
    {
      name: "force",
      description: "Replaces the file if there is one",
    },
  ],
  description: "Write the page views, visits or events of a website as JSON lines or CSV",
  run: async (call) => {
    const { terminal, flags, operands, clock } = call;
    const [hostname = ""] = operands;
    const out = flags.get("out") ?? "-";
    if (out !== "-") expectOutside(out, call.settings.folder);
    if (!(await mayReplace(call, out))) return;
    const { start, end } = askedPeriod(flags.get("period") ?? "all", localZone(flags), clock.nowMs());
    const of = knownWord("--of", flags.get("of") ?? exportKinds[0], exportKinds);
    const input = { hostname, of, ending: endingOf(call, out), ...(start && end && { start, end }) };
    const show = nowAndThen(clock, terminal);
    const bytes = await withControl(call, async (control) => {
      const file = outputAt(out, "--out", input.ending.startsWith("jsonl"));
      let written = 0;
      try {
        for await (const part of await control.exportWebsite(input)) {
          await file.write(part);
          written += part.length;
          show(() => megabytes(written));
        }
        file.finish();
      } catch (error) {
        file.abandon();
        throw error;
      }
      return written;
    }).finally(() => terminal.status(""));
    const line = `wrote ${out} (${megabytes(bytes)})`;
    if (!isStream(out)) terminal.print(line);
    else if (out !== "-") terminal.note(line);
  },
};

/** Returns whether the file may be written: it is new, or somebody says so. Throws Refusal where nobody can be asked. */
async function mayReplace({ terminal, flags }: Call, out: string): Promise<boolean> {
  if (out === "-" || flags.has("force") || !existsSync(out) || !statSync(out).isFile()) return true;
  if (terminal.watched)
    return confirmed(terminal, `${out} exists. Replace it?`, "nothing was exported", "--force");
  throw new Refusal(400, `--out: ${shown(out)} exists already: another name, or --force to replace it`);
}

/** Returns the format, and how it is packed, from the flag and the file's name. Throws Refusal 400. */
function endingOf({ flags }: Call, out: string): ExportEnding {
  const given = flags.get("format");
  const named = exportEndings.find((ending) => out.endsWith(`.${ending}`));
  if (given === undefined) {
    if (named === undefined && out !== "-")
      throw badInput("--out", out, `a name that ends with ${endingsText}, or --format`);
    return named ?? exportFormats[0];
  }
  const format = knownWord("--format", given, exportFormats);
  const packing = /\.(gz|zst)$/.exec(out)?.[1];
  return packing === undefined ? format : (`${format}.${packing}` as ExportEnding);
}
