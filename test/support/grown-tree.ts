/**
 * A copy of the program whose tables have grown as the recipes say: one more dimension in two existing tuples, one in a
 * column of its own, one more field on every kind of record, one more column in a chunk and one more flag.
 */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "..", "..");

export const grownDimensions = [
  { name: "screen", list: "screens", before: "", now: "1920 x 1080" },
  { name: "viewport", list: "viewports", before: "Unknown", now: "800 x 600" },
  { name: "click", list: "clicks", before: "", now: "a1" },
] as const;

interface Edit {
  readonly file: string;
  /** Stands in the file once. */
  readonly at: string;
  /** Returns the text that comes in its place. */
  readonly put: (at: string) => string;
}

const dimension = (name: string, list: string, column: string, before: string) => `
  {
    name: "${name}",
    list: "${list}",
    field: "${name}",
    column: "${column}",
    label: { one: "${name}", many: "${list}", clause: "with {value}" },
    description: "${name}",
    before: ${before},
  },`;

const edits: readonly Edit[] = [
  {
    file: "core/questions/dimension.ts",
    at: "\n] as const satisfies readonly DimensionRow[];",
    put: (at) =>
      dimension("screen", "screens", "client", '""') +
      dimension("viewport", "viewports", "window", "unknownLabel") +
      dimension("click", "clicks", "source", '""') +
      at,
  },
  {
    file: "core/questions/dimension.ts",
    at: '"origin"] as const',
    put: () => '"origin", "window"] as const',
  },
  {
    file: "collect/fact.ts",
    at: "\n};\nconst producersInOrder",
    put: (at) =>
      `\n  screen: () => "1920 x 1080",\n  viewport: () => "800 x 600",\n  click: () => "a1",${at}`,
  },
  {
    file: "record/field.ts",
    at: "const own = given === undefined ? field.before : given;",
    // Records that the engine makes itself say nothing of the field; null is a value of others.
    put: () => 'const own = given !== undefined ? given : name === "later" ? "now" : field.before;',
  },
  {
    file: "record/record.ts",
    at: "\nexport type RecordKind =",
    put: (at) => `
const later = appended(text, "before");
Object.assign(pastLoad, { later });
for (const { fields } of Object.values(recordKinds)) Object.assign(fields, { later });
${at}`,
  },
  {
    file: "store/columns/columns.ts",
    at: "\n};\nexport const plainNames",
    put: (at) => `\n  extra: { section: "extra", of: "rows", bytes: 4, changes: false, before: 7 },${at}`,
  },
  { file: "store/columns/row-flag.ts", at: "  bare: 32,\n", put: (at) => `${at}  later: 64,\n` },
];

/** Makes the copy in `folder`, and gives back the path of a file of `test/support` in it. */
export function grownTree(folder: string): (file: string) => string {
  const skipped = join(root, "src", "web");
  cpSync(join(root, "src"), join(folder, "src"), {
    recursive: true,
    filter: (path) => path !== skipped && !path.startsWith(`${skipped}/`),
  });
  mkdirSync(join(folder, "test"));
  cpSync(join(root, "test", "support"), join(folder, "test", "support"), { recursive: true });
  for (const name of ["package.json", "tsconfig.json"]) cpSync(join(root, name), join(folder, name));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const { file, at, put } of edits) {
    const path = join(folder, "src", file);
    const pieces = readFileSync(path, "utf8").split(at);
    if (pieces.length !== 2) throw new Error(`${file} has ${JSON.stringify(at)} ${pieces.length - 1} times`);
    writeFileSync(path, pieces.join(put(at)));
  }
  return (file) => join(folder, "test", "support", file);
}
