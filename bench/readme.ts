/**
 * Puts figures into docs/performance.md: the text between `<!-- bench: NAME -->` and `<!-- end -->` there is replaced
 * by that of bench/results/NAME.md. Results belong to one machine and are not kept with the source; this is how they
 * get into the text.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const place = /(<!-- bench: ([\w-]+) -->\n)[\s\S]*?(<!-- end -->)/g;

/**
 * `text` with what `resultOf` says in each place; a place of which it says nothing stays. Throws for a text without any
 * place.
 */
export function withResults(text: string, resultOf: (name: string) => string | undefined): string {
  if (text.search(place) < 0) throw new Error("there is no <!-- bench: NAME --> … <!-- end --> to fill");
  return text.replace(place, (all: string, begin: string, name: string, end: string) => {
    const result = resultOf(name);
    return result === undefined ? all : `${begin}\n${result.trim()}\n\n${end}`;
  });
}

/** Puts those results into the file that were measured on this machine; each table there names its machine. */
export function intoPage(file: string, results: string): void {
  const text = withResults(readFileSync(file, "utf8"), (name) => {
    const result = join(results, `${name}.md`);
    return existsSync(result) ? readFileSync(result, "utf8") : undefined;
  });
  writeFileSync(file, text);
}
