/**
 * Makes what strangers wrote (paths, referrers, names) safe to stand in mails and chats: invisible characters are written
 * out, and no program makes a link of it.
 */
import { isolated, label, pathLabel } from "../core/questions/label.ts";

const charactersMax = 70;
/** It takes no room. Programs that look for addresses in a text do not see one around it. */
const nonJoiner = "\u200c";

function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= charactersMax ? text : `${characters.slice(0, charactersMax - 1).join("")}…`;
}

/** Keeps mail and chat programs from taking a part of the text for an address. */
function unlinked(text: string): string {
  return text.replace(/[.:@](?=\S)/g, (sign) => sign + nonJoiner);
}

/** Returns a value in one line, at most 70 characters long. */
export function strangerText(value: string): string {
  return unlinked(isolated(shortened(label(value.toWellFormed()))));
}

/** Returns a path in the same way, decoded. */
export function strangerPath(path: string): string {
  return unlinked(isolated(shortened(pathLabel(path.toWellFormed()))));
}
