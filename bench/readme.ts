/**
 * Puts figures into docs/performance.md: the text between `<!-- bench: NAME -->` and `<!-- end -->` there is replaced
 * by that of bench/results/NAME.md. Results belong to one machine and are not kept with the source; this is how they
 * get into the text.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const place = /(<!-- bench: ([\w-]+) -->\n)[\s\S]*?(<!-- end -->)/g;

/** `text` with what `resultOf` says in each place. Throws for a text without any place. */
export function withResults(text: string, resultOf: (name: string) => string): string {
  if (text.search(place) < 0) throw new Error("there is no <!-- bench: NAME --> … <!-- end --> to fill");
  return text.replace(
    place,
    (_, begin: string, name: string, end: string) => `${begin}\n${resultOf(name).trim()}\n\n${end}`,
  );
}

/** Throws when a place's result was not measured; the file is then as it was. */
export function intoPage(file: string, results: string): void {
  const text = withResults(readFileSync(file, "utf8"), (name) => {
    const result = join(results, `${name}.md`);
    if (!existsSync(result)) throw new Error(`${name} was not measured: there is no ${result}`);
    return readFileSync(result, "utf8");
  });
  writeFileSync(file, text);
}
