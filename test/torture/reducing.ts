/** Starts on a data folder whose months are to give up their rows, says so, and has them do it. Another process kills it. */
import { dayMs } from "../../src/core/hit.ts";
import { TestClock } from "../support/clock.ts";
import { openFolder } from "../support/open-folder.ts";

const [folder = "", nowMs = ""] = process.argv.slice(2);
const clock = new TestClock(Number(nowMs));
const engine = await openFolder(folder, { clock, rowsMonths: 1 });
// The clock has gone right for a day.
clock.advance(dayMs + 1);
process.stdout.write("begins\n");
await engine["intake"]["upkeep"]?.reduction?.round();
process.stdout.write("done\n");
await engine.stop();
