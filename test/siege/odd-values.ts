/** Values on the edge of what is allowed, and beyond it. */

/** Picks by chance. */
export class Picker {
  constructor(readonly random: () => number) {}

  below(count: number): number {
    return Math.floor(this.random() * count);
  }

  chance(share: number): boolean {
    return this.random() < share;
  }

  of<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }

  /** A number from 0, each as often as its weight says. */
  weighted(weights: readonly number[]): number {
    let left = this.random() * weights.reduce((sum, weight) => sum + weight, 0);
    return Math.max(
      0,
      weights.findIndex((weight) => (left -= weight) < 0),
    );
  }
}

const lengths = [1, 63, 64, 65, 253, 254, 255, 256, 300, 301];
const rareLengths = [2_000, 2_001, 2_047, 2_048, 2_049, 8_191, 8_192, 8_193];
const letters = ["a", "\u00e9", "\u{1f600}", "\ufeff", "%", "/", "\\", '"', "\u0000"];
const texts = [
  "",
  " ",
  "\0",
  "\u007f",
  "\ud800",
  "a\udc00b",
  "\u202eevil",
  "\ufeff",
  "\u{1f469}\u200d\u{1f680}",
  "I\u0307\u0131\u00df\ufb03",
  "__proto__",
  "constructor",
  "(other)",
  "null",
  "undefined",
  "NaN",
  "%00",
  "%",
  "%e0%a4%a",
  "../../etc/passwd",
  "<script>alert(1)</script>",
  "'; DROP TABLE hits; --",
  "${7*7}{{7*7}}",
  "\r\nset-cookie: a=b",
  "1e999",
  "Europe/Berlin",
  "Etc/GMT+99",
  "europe/BERLIN",
];

export function oddText(picker: Picker): string {
  const kind = picker.weighted([70, 25, 5]);
  if (kind === 0) return picker.of(texts);
  return picker.of(letters).repeat(picker.of(kind === 1 ? lengths : rareLengths));
}

const schemes = [
  "https://",
  "http://",
  "HTTPS://",
  "ftp://",
  "javascript:",
  "data:",
  "//",
  "",
  "https:",
  "android-app://",
];
const hosts = [
  "siege.example",
  "www.siege.example",
  "SIEGE.example",
  "siege.example.",
  "siege.example..",
  ".",
  "..",
  "%2e",
  "siege.example:8443",
  "siege.example:99999",
  "user:password@siege.example",
  "other.example",
  "[::1]",
  "[",
  "127.0.0.1",
  "0x7f.1",
  "xn--mnchen-3ya.example",
  "m\u00fcnchen.example",
  "",
  " ",
  `${"a".repeat(64)}.example`,
  `${"a.".repeat(130)}example`,
];
const paths = [
  "",
  "/",
  "/a/",
  "//",
  "/../..",
  "/%",
  "/%ff",
  "/%2e%2e/",
  "/\u00e9",
  "/\ud800",
  "/a b",
  "/#/route",
  "/#!/route",
  "/#top",
  "/?utm_source=a&utm_source=b",
  "/?utm_source=%ff&utm_medium=%",
  `/?utm_campaign=${"c".repeat(300)}`,
  "/?&&==&utm_term",
  "/;a=b?c#d",
  "\\a\\b",
];

export function oddUrl(picker: Picker): string {
  if (picker.chance(0.1)) return oddText(picker);
  const path = picker.chance(0.9) ? picker.of(paths) : `/${oddText(picker)}`;
  return picker.of(schemes) + (picker.chance(0.5) ? "siege.example" : picker.of(hosts)) + path;
}

const plain = [
  "null",
  "true",
  "false",
  "0",
  "-0",
  "-1",
  "1.5",
  "1e21",
  "1e308",
  "1e999",
  "9".repeat(400),
  "[]",
  "{}",
];
/** No JSON. */
const broken = ["", "NaN", "01", "'a'", "undefined", "[1,]", '"\u0001"', '"\\x"', "tru"];

/** The JSON of any value, or what looks like it. */
export function oddJson(picker: Picker): string {
  const kind = picker.weighted([40, 30, 8, 8, 7, 7]);
  if (kind === 0) return picker.of(plain);
  if (kind === 1) return JSON.stringify(oddText(picker));
  if (kind === 2) return picker.of(broken);
  const depth = picker.of([1, 2, 10, 500]);
  if (kind === 3) return "[".repeat(depth) + "]".repeat(depth);
  if (kind === 4) return `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  return `{"a":1,"__proto__":{"b":"c"},"length":5}`;
}
