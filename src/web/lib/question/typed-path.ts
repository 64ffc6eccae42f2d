/** Reads what is typed into a field for a path. Only dialogs have such fields: it is in the second script. */
import { editedText } from "./filter-draft.ts";

/**
 * Returns the path in the address of a page, as somebody pastes it from the browser, for a website; other text as it is.
 * The page of another hostname has that in its path.
 */
export function typedPath(text: string, hostname: string): string {
  const url = /^https?:\/\/[^/]+\//i.test(text) ? URL.parse(text) : null;
  if (url === null) return text;
  const bare = (host: string) => host.replace(/^www\./, "");
  const host = bare(url.hostname) === bare(hostname) ? "" : `//${bare(url.hostname)}`;
  // A path has no query, nor has its route.
  const [route = ""] = /^#!?\/[^?#]*/.exec(url.hash) ?? [];
  return editedText("path", host + url.pathname + route);
}
