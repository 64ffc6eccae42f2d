/** Makes one backup of a new folder as a server does, in several attempts if need be, and prints the lines of the log. */
import { BackupSchedule } from "../../src/cli/backup/schedule.ts";
import { dayMs } from "../../src/core/hit.ts";
import { openEngine } from "../../src/engine/opening/open.ts";
import { systemClock as clock } from "../../src/lib/clock.ts";
import { createLogger } from "../../src/lib/log.ts";
import { systemRandom as random } from "../../src/lib/random.ts";

const [folder = "", destination = "", answerMs, everyMs = dayMs] = process.argv.slice(2);
let isMade = false;
const write = (line: string) => {
  isMade ||= line.includes("made a backup");
  process.stdout.write(`${line}\n`);
};
const logger = createLogger({ level: "info", format: "json", nowMs: () => clock.nowMs(), write });
const engine = await openEngine({ folder, clock, random, logger, demo: false });
const pinFiles = () => engine.pinFiles();
const times = { everyMs: Number(everyMs), keep: 1, answerMs: Number(answerMs), clock };
const schedule = new BackupSchedule({ folder, destination, ...times, logger, pinFiles });
for (let attempt = 0; attempt < 400 && !isMade; attempt++, await Bun.sleep(50)) await schedule.round();
await schedule.stop();
await engine.stop();
