/** The command that reads all of a data folder and says what is wrong with it. */
import { checkFolder } from "../../engine/opening/check-folder.ts";
import { systemDisk } from "../../lib/disk/disk.ts";
import { goLast } from "../../lib/threads/priority.ts";
import { whileStill } from "../backup/pinned.ts";
import type { Command } from "../command.ts";
import { count, megabytes, nowAndThen, progressBar } from "../terminal/progress.ts";

export const check: Command = {
  words: ["check"],
  operands: [],
  flags: [],
  description: "Read all data and compare every checksum, rule and sum; exit code 1 if anything is wrong",
  exitCodes: { 0: "nothing is wrong", 1: "something is wrong" },
  run: ({ settings, terminal, clock }) => {
    const { folder } = settings;
    const show = nowAndThen(clock, terminal);
    goLast();
    return whileStill(folder, async (pinned, expectKept) => {
      const faults: string[] = [];
      const { files, bytes, seq, isTorn, unnamed } = checkFolder({
        disk: systemDisk,
        folder,
        files: pinned,
        onFault: (fault) => faults.push(fault),
        onProgress: (done, total) => show(() => `${progressBar(done / total)}  ${megabytes(done)}`),
      });
      terminal.status("");
      if (faults.length > 0) await expectKept();
      for (const fault of faults) terminal.print(fault);
      if (isTorn)
        terminal.note(
          "the log ends in a batch that is not whole, as after a crash: the next start moves it aside",
        );
      if (unnamed.length > 0)
        terminal.note(
          `${count(unnamed.length, "file")} that nothing needs, such as ${unnamed[0]}: the next start removes them`,
        );
      const checked = `checked ${count(files, "file")} (${megabytes(bytes)})`;
      if (faults.length === 0) terminal.print(`${checked} and the log up to record ${seq}: nothing is wrong`);
      else terminal.print(`${checked}: found ${count(faults.length, "fault")}, nothing was changed`);
      return faults.length === 0 ? 0 : 1;
    });
  },
};
