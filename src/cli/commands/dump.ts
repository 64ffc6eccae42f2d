/** The command that prints all that is known as lines of JSON. */
import { dumpLines } from "../../engine/dump.ts";
import { advice, orRefused } from "../../engine/refused.ts";
import { loadMoment, readLogAfter } from "../../engine/pinned-files.ts";
import { systemDisk } from "../../lib/disk/disk.ts";
import { goLast } from "../../lib/threads/priority.ts";
import { filesOf, whileStill } from "../backup/pinned.ts";
import type { Command } from "../command.ts";
import { standardOutput } from "../terminal/output.ts";
import { count, nowAndThen } from "../terminal/progress.ts";

/** Lines are written in pieces of about so many characters. */
const pieceLength = 64 * 1024;

export const dump: Command = {
  words: ["dump"],
  description: "Print all accounts, websites and rows as lines of JSON, in an order that is always the same",
  exitCodes: { 0: "all lines were printed" },
  run: ({ settings, terminal, clock }) => {
    const { folder } = settings;
    const show = nowAndThen(clock, terminal);
    goLast();
    return whileStill(folder, async (pinned) => {
      const files = pinned ?? filesOf(folder);
      const write = standardOutput(true);
      const state = orRefused(() => {
        const { manifest, state } = loadMoment(systemDisk, folder, files);
        readLogAfter(systemDisk, folder, manifest, (record) => void state.apply(record), files.log);
        return state;
      }, advice.folder);
      let [piece, lines] = ["", 0];
      for (const line of dumpLines(state)) {
        piece += `${line}\n`;
        lines++;
        if (piece.length < pieceLength) continue;
        await write(Buffer.from(piece));
        piece = "";
        show(() => count(lines, "line"));
      }
      await write(Buffer.from(piece));
      terminal.status("");
    });
  },
};
