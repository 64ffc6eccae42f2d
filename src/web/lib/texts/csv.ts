/** Puts the parts of a list together that the API answers as CSV, each with a head line of its own. */

/** Returns the records of a CSV text, its head line first. A quoted cell may have line ends. */
export function recordsOf(text: string): readonly string[] {
  return (text.match(/(?:"[^"]*"|[^"\n])+/g) ?? []).map((record) => record.replace(/\r$/, ""));
}

/**
 * Returns one text with the rows of all parts and one head line. A column that a part lacks, as that of figures before
 * where none of its rows has one, is empty in its rows.
 */
export function joined(parts: readonly string[]): string {
  const tables = parts.map(recordsOf);
  const [first = "", ...others] = tables.map(([head = ""]) => head);
  const fields = [...new Set([first, ...others].flatMap((head) => head.split(",")))];
  const lines = tables.flatMap(([head = "", ...rows]) => {
    if (head === fields.join()) return rows;
    const places = fields.map((field) => head.split(",").indexOf(field));
    return rows.map((row) => {
      // A comma within a cell has an odd number of quotes before it, and after it.
      const cells = row.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/);
      return places.map((place) => cells[place] ?? "").join();
    });
  });
  return [fields.join(), ...lines, ""].join("\r\n");
}
