/**
 * Builds the marks beside names: flags of countries, made small from the package country-flag-icons, and the marks of
 * browsers, systems and devices. They are one asset, which the page asks for once it has its figures.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { clientMarks } from "./client-marks.ts";

const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
/** The codes of the package that no time zone tells, such as the European Union's. */
const noCountries = new Set(["AC", "CP", "DG", "EA", "EU", "IC", "TA", "XA"]);
/** A flag is 20 pixels wide, so this many units across are more than anybody sees. */
const unitsMax = 240;

/**
 * Returns the marks by the names that rows have: of a country a whole SVG, of anything else the path data of one in a
 * square of 24, in the colour of the text.
 */
export function marksByName(): Readonly<Record<string, string>> {
  const folder = join(Bun.resolveSync("country-flag-icons/package.json", import.meta.dir), "..", "3x2");
  const files = readdirSync(folder).filter((file) => /^[A-Z]{2}\.svg$/.test(file));
  const flags = files.toSorted().flatMap((file) => {
    const code = file.slice(0, 2);
    const name = noCountries.has(code) ? undefined : names.of(code);
    return name === undefined ? [] : [[name, rounded(readFileSync(join(folder, file), "utf8"))] as const];
  });
  return { ...Object.fromEntries(flags), ...clientMarks };
}

/** Returns an SVG with no more decimals than can be seen. */
function rounded(svg: string): string {
  const width = Number(/viewBox="\S+ \S+ (\S+)/.exec(svg)?.[1]);
  const decimals = Math.max(0, Math.ceil(Math.log10(unitsMax / width)));
  return svg.replace(/ d="([^"]*)"/g, (_, data: string) => ` d="${roundedPath(data, decimals)}"`);
}

/** Returns path data with rounded numbers. Arcs stay as they are, because their flags need no separator. */
function roundedPath(data: string, decimals: number): string {
  return data.replace(/([b-zB-Z])([^a-zA-Z]*)/g, (_, command: string, numbers: string) => {
    const all = numbers.match(/-?(?:\d+\.?\d*|\.\d+)/g) ?? [];
    const texts = all.map((text) => String(Number(Number(text).toFixed(decimals))));
    return command + texts.join(" ").replaceAll(" -", "-");
  });
}
