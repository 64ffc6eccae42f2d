/** The commands that the README and the pages of docs/ show, each as a shell takes it. */
import { join } from "node:path";

export interface ShownCommand {
  readonly page: string;
  /** The line of the page on which it begins, from 1. */
  readonly line: number;
  /** It may be of several lines, and is without the comment at its end. */
  readonly text: string;
}

const root = join(import.meta.dir, "..", "..");

/** A call within a sentence is a command too, unless it only names one and its operands. */
const calledInline = /^(?:footfall|curl|xz|caddy)\s.*[-.|>]/s;

/** Returns the commands of each page that has some, in the order in which they stand there. */
export async function shownCommands(): Promise<ReadonlyMap<string, readonly ShownCommand[]>> {
  const paths = ["README.md", ...[...new Bun.Glob("docs/*.md").scanSync(root)].toSorted()];
  const lists = await Promise.all(
    paths.map(async (page) => [page, commandsOf(page, await Bun.file(join(root, page)).text())] as const),
  );
  return new Map(lists.filter(([, commands]) => commands.length > 0));
}

/** Takes a page in Markdown. Throws if a block ends within a command. */
export function commandsOf(page: string, markdown: string): ShownCommand[] {
  // A block comes first: what stands between backquotes in it is no call in a sentence.
  const parts = [...markdown.matchAll(/^```(\w*)\n([^]*?)^```$|`([^`]+)`/gm)];
  return parts.flatMap(({ index, 1: language, 2: block, 3: inline = "" }) => {
    const line = markdown.slice(0, index).split("\n").length;
    if (language === "sh") return commandsOfBlock(page, line + 1, block as string);
    return calledInline.test(inline) ? [{ page, line, text: inline.replaceAll("\n", " ") }] : [];
  });
}

/** A command ends with the first line up to which a shell can parse it. */
function commandsOfBlock(page: string, firstLine: number, block: string): ShownCommand[] {
  const commands: ShownCommand[] = [];
  let begun: string[] = [];
  const lines = block.trimEnd().split("\n");
  for (const [at, line] of lines.entries()) {
    begun.push(line);
    const text = begun.join("\n");
    if (line.endsWith("\\") || !Bun.spawnSync(["bash", "-n", "-c", text]).success) continue;
    const own = text.replace(/(^|\s+)# .*$/, "");
    if (own !== "") commands.push({ page, line: firstLine + at - begun.length + 1, text: own });
    begun = [];
  }
  if (begun.length > 0) throw new Error(`${page}:${firstLine}: no shell takes ${begun.join("\n")}`);
  return commands;
}
