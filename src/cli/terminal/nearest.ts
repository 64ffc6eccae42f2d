/** Finds the word that somebody meant who mistyped it. */

/** Two letters may be wrong, as where two have changed places; in longer words one of three. */
const changesMin = 2;
const lettersOfChange = 3;

/** Returns the word that takes the fewest changes, if they are few for its length; a change is one letter. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((word) => ({ word, changes: changesBetween(given, word) }))
    .filter(({ word, changes }) => changes <= Math.max(changesMin, word.length / lettersOfChange))
    .sort((a, b) => a.changes - b.changes);
  return best?.word;
}

/** The letters to add, take away or replace (Levenshtein's distance). */
function changesBetween(a: string, b: string): number {
  let before = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [index, letter] of [...a].entries()) {
    const row = [index + 1];
    for (let at = 0; at < b.length; at++)
      row.push(Math.min(row[at]! + 1, before[at + 1]! + 1, before[at]! + (letter === b[at] ? 0 : 1)));
    before = row;
  }
  return before[b.length]!;
}
