/** Makes one backup of a new folder as a server does, and prints its line of the log. */
import { BackupSchedule } from "../../src/cli/backup/schedule.ts";
import { dayMs } from "../../src/core/hit.ts";
import { openEngine } from "../../src/engine/opening/open.ts";
import { systemClock as clock } from "../../src/lib/clock.ts";
import { createLogger } from "../../src/lib/log.ts";
import { systemRandom as random } from "../../src/lib/random.ts";

const [folder = "", destination = "", answerMs] = process.argv.slice(2);
const write = (line: string) => void process.stdout.write(line);
const logger = createLogger({ level: "info", format: "json", nowMs: () => clock.nowMs(), write });
const engine = await openEngine({ folder, clock, random, logger, demo: false });
const pinFiles = () => engine.pinFiles();
const times = { everyMs: dayMs, keep: 1, answerMs: Number(answerMs), clock };
const schedule = new BackupSchedule({ folder, destination, ...times, logger, pinFiles });
await schedule.look();
await schedule.stop();
await engine.stop();
