/**
 * The names of values in the language of the page, whose words have them. The server and addresses have English ones, and
 * filters keep them; a name that the words do not have stays.
 */
import { unknownLabel } from "../../../core/questions/dimension.ts";
import type { FilterName } from "../../../core/questions/stored-dimension.ts";
import type { Filter } from "../../../core/questions/query.ts";
import { label } from "../../../core/questions/label.ts";
import { language, original, originalsLike, translated } from "./words.ts";

/** Returns whether values of the dimension have another name in the page's language. */
export function isNamed(name: FilterName): boolean {
  return language !== "en" && ["country", "language", "channel", "device"].includes(name);
}

/** Returns the name of a value that the server sends for a dimension. Dialects such as German (Austria) have two. */
export function valueName(name: FilterName, value: string): string {
  if (!isNamed(name)) return label(value === unknownLabel ? translated(value) : value);
  return label(name === "language" ? value.replace(/[^()]+(?=\)| \(|$)/g, translated) : translated(value));
}

/** The most values of a search: an address has room for them. */
const likeMax = 200;

/** Returns the filter for the values that contain `text`: the server knows only their English names. */
export function containing(name: FilterName, text: string): Filter {
  return isNamed(name)
    ? { name, operator: "in", operands: [text, ...originalsLike(text).slice(0, likeMax)] }
    : { name, operator: "contains", operands: [text] };
}

/** Returns the value that a person means by its name, or else the text itself. */
export function valueNamed(name: FilterName, text: string): string {
  return isNamed(name) ? original(text) : text;
}
