/** The commands in messages: an executable is called by its name, and the source by npm. */
import { isBuilt } from "./version.ts";

const ownWords = isBuilt ? "footfall" : "npm start --";

/** Returns a text in which every command, which begins with `footfall` and a word, begins with the words that call it here. */
export function callable(text: string, words = ownWords): string {
  return text.replaceAll(/(?<![\w/.-])footfall (?=[a-z-])/g, `${words} `);
}
