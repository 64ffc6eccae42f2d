/** Prints how long one question about ten years takes as the first one of this process: `years-start.ts FOLDER QUESTION`. */
import { QueryCache } from "../src/query/cache/cache.ts";
import { cacheBytesMax } from "./data.ts";
import { openYears, questions, timeOf } from "./years-folder.ts";

const [folder = "", at] = process.argv.slice(2);
const asked = questions()[Number(at)];
if (asked === undefined) throw new Error(`there is no question ${at}`);
console.log(timeOf(openYears(folder), asked.question, new QueryCache(cacheBytesMax)));
