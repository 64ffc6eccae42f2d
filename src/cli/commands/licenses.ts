/** The command that prints the licences of Footfall and of all that the executable contains. */
import { embeddedParts } from "../license-texts.ts" with { type: "macro" };
import { embedded } from "../../core/embedded.ts";
import type { Command } from "../command.ts";

export const licenses: Command = {
  words: ["licenses"],
  settings: [],
  description: "Print the licences of Footfall, and of all that is in the executable",
  run: async ({ terminal }) => {
    const parts = embedded(embeddedParts()).map(({ name, version, text }) => {
      const title = `${name} ${version}`;
      return `${title}\n${"=".repeat(title.length)}\n\n${text}\n`;
    });
    terminal.print(parts.join("\n\n"));
  },
};
