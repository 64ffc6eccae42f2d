/**
 * Parses a raw query string into pairs, in their order and with repeats, as `application/x-www-form-urlencoded`
 * defines. The difference is that invalid percent-encoding is refused, not guessed at.
 */
import { badInput, shown, Refusal } from "../../core/refusal.ts";

export type Pair = readonly [name: string, value: string];

/** Returns the part of a URL after its first `?`; "" without one. */
export function rawQuery(url: string): string {
  const at = url.indexOf("?");
  return at < 0 ? "" : url.slice(at + 1);
}

/** Returns the pairs of a query; a name without `=` has the value "". Throws Refusal 400 naming the parameter. */
export function parsePairs(raw: string): Pair[] {
  const pairs: Pair[] = [];
  for (const part of raw.split("&")) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const name = decode(equals < 0 ? part : part.slice(0, equals));
    if (name === undefined)
      throw new Refusal(400, `query: expected percent-encoded UTF-8 in a name, got ${shown(part)}`);
    const encoded = equals < 0 ? "" : part.slice(equals + 1);
    const value = decode(encoded);
    if (value === undefined) throw badInput(shown(name), encoded, "percent-encoded UTF-8");
    pairs.push([name, value]);
  }
  return pairs;
}

/** Returns the values of the parameters in `names`. Throws Refusal 400 where one of them comes twice. */
export function singleValues(pairs: readonly Pair[], names: readonly string[]): Map<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (!names.includes(name)) continue;
    if (values.has(name)) throw new Refusal(400, `${name}: expected one value, got another: ${shown(value)}`);
    values.set(name, value);
  }
  return values;
}

/**
 * Refuses parameters that would be ignored, such as `until` in place of `end`, for what cannot be undone. `filters`: whether
 * there may be any. Throws Refusal 400.
 */
export function refuseOthers(pairs: readonly Pair[], names: readonly string[], filters = false): void {
  const expected = `${names.join(", ")}${filters ? " and filters like path[eq]" : ""}`;
  for (const [name, value] of pairs)
    if (!names.includes(name) && !(filters && name.includes("[")))
      throw badInput(shown(name), value, expected);
}

function decode(text: string): string | undefined {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  if (!spaced.includes("%")) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return undefined;
  }
}
