/** The command that reads all of a data folder and says what is wrong with it. */
import { goLast } from "../../lib/threads/priority.ts";
import { whileStill } from "../backup/pinned.ts";
import { checkedFolder } from "../checked-folder.ts";
import type { Command } from "../command.ts";
import { bytesNowAndThen, count, megabytes } from "../terminal/progress.ts";

export const check: Command = {
  words: ["check"],
  description: "Read all data and compare every checksum, rule and sum; exit code 1 if anything is wrong",
  exitCodes: { 0: "nothing is wrong", 1: "something is wrong" },
  run: ({ settings, terminal, clock }) => {
    const { folder } = settings;
    const onProgress = bytesNowAndThen(clock, terminal);
    goLast();
    return whileStill(folder, async (pinned, expectKept) => {
      const { faults, files, bytes, seq, isTorn, unnamed } = checkedFolder(folder, onProgress, pinned);
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
