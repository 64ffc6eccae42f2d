/** The commands in messages: an executable is called by its name, and the source by npm. */
import { isBuilt } from "./version.ts";

const ownWords = isBuilt ? "footfall" : "npm start --silent --";

/**
 * Returns a text in which every command, which begins with `footfall` and a word or the place of one, begins with the words
 * that call it here.
 */
export function callable(text: string, words = ownWords): string {
  return text.replaceAll(/(?<![\w/.-])footfall (?=[a-z-]|COMMAND\b)/g, `${words} `);
}

/** Returns a word as a shell takes it: in quotes where it has more than letters, digits and a few signs. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Returns the line that calls a command with these words on this data folder, as a shell takes it. */
export function commandLine(words: readonly string[], folder: string): string {
  return ["footfall", ...words, "--data", folder].map(shellWord).join(" ");
}

/** Returns a text in which each quoted command, such as 'footfall repair', names the data folder that a call named. */
export function onFolder(text: string, folder: string): string {
  return text.replaceAll(/'(footfall [^']+)'(?![\w/.])/g, (quoted, line: string) =>
    /--(data|help|list)\b/.test(line) ? quoted : `'${line} --data ${shellWord(folder)}'`,
  );
}
