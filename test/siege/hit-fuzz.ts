/**
 * Hits that are wrong in some places and right in the others, so that they get far: a right body of one of the four
 * kinds, in which fields are missing, doubled, renamed or of odd values, and at times the text itself is damaged.
 * Each follows from the seed and its number alone.
 */
import { randomFrom } from "../support/random.ts";
import { browser } from "../support/server.ts";
import { siegeHostname } from "./attack.ts";
import { oddJson, oddText, oddUrl, Picker } from "./odd-values.ts";

export interface FuzzedHit {
  readonly request: Buffer;
  /** A page load that nothing is wrong with, with a beacon of its own: it has to be accepted. */
  readonly isGoodLoad: boolean;
}

/** A hit without its way through a socket. */
interface FuzzedBody extends Omit<FuzzedHit, "request"> {
  /** Lines such as `user-agent: curl/8.0`. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** A field and the JSON of its value, which may be no JSON. */
type Field = [name: string, json: string];

/** A beacon that is named again is so many hits old at least: its own hit was answered. */
const answeredBefore = 256;
const recentBeacons = 200;

export function fuzzedHit(seed: number, at: number): FuzzedHit {
  const picker = new Picker(randomFrom((seed + Math.imul(at, 0x9e3779b1)) >>> 0));
  const { headers, body, isGoodLoad } = fuzzedBody(picker, at);
  return { request: requestOf(picker, headers, body), isGoodLoad };
}

/** `at`: its number, which its beacon has. */
export function fuzzedBody(picker: Picker, at: number): FuzzedBody {
  const [kind, fields] = goodFields(picker, at);
  const changes = picker.weighted([25, 40, 20, 10, 5]);
  for (let change = 0; change < changes; change++) changeField(picker, fields);
  const text = `{${fields.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join()}}`;
  const isDamaged = picker.chance(0.08);
  const body = isDamaged ? damaged(picker, Buffer.from(text)) : Buffer.from(text);
  const isOdd = picker.chance(0.3);
  const headers = isOdd ? oddHeaders(picker) : [`user-agent: ${browser}`];
  return { headers, body, isGoodLoad: kind === "load" && changes === 0 && !isDamaged && !isOdd };
}

function goodFields(picker: Picker, at: number): [string, Field[]] {
  const beacon = JSON.stringify(`fuzz-${at}`);
  const earlier = JSON.stringify(`fuzz-${at - answeredBefore - picker.below(recentBeacons)}`);
  const u: Field = ["u", JSON.stringify(`https://${siegeHostname}/page-${picker.below(500)}`)];
  const d: Field = ["d", JSON.stringify({ plan: `plan-${picker.below(9)}`, paid: picker.chance(0.5) })];
  const i: Field = ["i", JSON.stringify(`order-${picker.below(50)}`)];
  const m: Field = ["m", `${picker.below(60_000)}`];
  const [b, old]: [Field, Field] = [
    ["b", beacon],
    ["b", earlier],
  ];
  const p: Field = ["p", `${picker.chance(0.5)}`];
  const q: Field = ["q", `${picker.chance(0.5)}`];
  const load: Field[] = [b, u, p, q, ["r", '"https://news.example/list"'], ["t", '"Europe/Berlin"']];
  const kinds: readonly [string, Field[]][] = [
    ["load", picker.chance(0.3) ? [...load, d] : load],
    ["unload", picker.chance(0.5) ? [old, m] : [old, u, m]],
    ["event", [old, ...(picker.chance(0.5) ? [u] : []), ...(picker.chance(0.3) ? [i] : []), d]],
    ["medama", [["e", '"load"'], b, u, p, q]],
    ["medama", [["e", '"unload"'], old, m]],
    ["medama", [["e", '"custom"'], ["g", JSON.stringify(siegeHostname)], d]],
  ];
  return kinds[picker.weighted([55, 18, 12, 5, 5, 5])] as [string, Field[]];
}

const names = ["b", "u", "p", "q", "r", "t", "m", "i", "d", "e", "g"];
const oddNames = ["B", "", "__proto__", "constructor", "toString", "x", "\0", "e", "length"];

function changeField(picker: Picker, fields: Field[]): void {
  const at = picker.below(fields.length);
  const field = fields[at];
  const add = (name: string, json: string) => fields.splice(picker.below(fields.length + 1), 0, [name, json]);
  switch (picker.below(field === undefined ? 1 : 6)) {
    case 0:
      add(picker.chance(0.7) ? picker.of(names) : picker.of(oddNames), oddJson(picker));
      break;
    case 1:
      fields.splice(at, 1);
      break;
    case 2:
      (field as Field)[0] = picker.of(oddNames);
      break;
    case 3:
      add((field as Field)[0], picker.chance(0.5) ? (field as Field)[1] : oddJson(picker));
      break;
    default:
      (field as Field)[1] = oddValue(picker, (field as Field)[0]);
  }
}

/** Mostly of the field's type. */
function oddValue(picker: Picker, name: string): string {
  if (picker.chance(0.25)) return oddJson(picker);
  if (name === "u" || name === "r") return JSON.stringify(oddUrl(picker));
  if (name === "d") return oddProperties(picker);
  if (name === "m") return picker.of(["-1", "-0", "0", "86400000", "86400001", "1.5", "1e3", "1e999", "00"]);
  if (name === "p" || name === "q") return picker.of(["true", "false", "null", "1", '"true"', "True"]);
  return JSON.stringify(oddText(picker));
}

function oddProperties(picker: Picker): string {
  const count = picker.of([0, 1, 2, 3, 29, 30, 31]);
  const pairs = Array.from({ length: count }, (_, at) => {
    const name = picker.chance(0.7) ? `name-${at}` : oddText(picker);
    return `${JSON.stringify(name)}:${picker.chance(0.7) ? JSON.stringify(oddText(picker)) : oddJson(picker)}`;
  });
  return `{${pairs.join()}}`;
}

function damaged(picker: Picker, body: Buffer): Buffer {
  const at = picker.below(body.length);
  const byte = Buffer.from([picker.below(256)]);
  switch (picker.below(9)) {
    case 0:
      return body.subarray(0, at);
    case 1:
      return Buffer.concat([body.subarray(0, at), byte, body.subarray(at + 1)]);
    case 2:
      return Buffer.concat([body.subarray(0, at), byte, body.subarray(at)]);
    case 3:
      return Buffer.concat([body.subarray(0, at), body.subarray(at + picker.below(20))]);
    case 4:
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]);
    case 5:
      return Buffer.concat([body, body]);
    case 6:
      return Buffer.from(picker.of(["", " ", "null", "[]", "1", '"x"', "{}", "[".repeat(5_000), "{", "\0"]));
    case 7:
      return Buffer.from(body.toString(), "utf16le");
    default:
      return picker.chance(0.9)
        ? Buffer.from(`[${body.toString()}]`)
        : Buffer.concat([body, Buffer.alloc(Math.max(0, 65_535 - body.length + picker.below(3)), " ")]);
  }
}

const agents = [
  browser,
  "",
  "curl/8.0",
  "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
  "Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Version/17.0 Safari/604.1",
  "\u00ff".repeat(20),
  "(".repeat(2_000),
  "Mozilla/5.0 ".repeat(200),
];
const languages = [
  "",
  "*",
  "de",
  "en-GB;q=0.9,de;q=1",
  "x".repeat(1_000),
  ",;q=,".repeat(100),
  "en;q=NaN",
  "-",
];
const addresses = [
  "203.0.113.9",
  "2001:db8::1",
  "",
  ",",
  "unknown",
  "::ffff:203.0.113.9",
  "1.2.3.4.5",
  "999.1.1.1",
  "203.0.113.9, ".repeat(50),
  "[2001:db8::1]:443",
  "203.0.113.9:80",
  "fe80::1%eth0",
];
const types = [
  "application/json",
  "text/plain",
  "",
  "multipart/form-data",
  "application/json; charset=utf-7",
  ";",
];

function oddHeaders(picker: Picker): string[] {
  const headers = [`user-agent: ${picker.of(agents)}`];
  if (picker.chance(0.4)) headers.push(`accept-language: ${picker.of(languages)}`);
  if (picker.chance(0.4)) headers.push(`x-forwarded-for: ${picker.of(addresses)}`);
  if (picker.chance(0.2)) headers.push(`content-type: ${picker.of(types)}`);
  if (picker.chance(0.1)) headers.push(`cookie: _me_sess=${picker.of(["", "x", "\u00ff", "%", "a=b"])}`);
  if (picker.chance(0.1)) headers.push(`origin: ${picker.of(["null", "https://evil.example", ""])}`);
  return headers;
}

function requestOf(picker: Picker, headers: readonly string[], body: Buffer): Buffer {
  const isChunked = body.length > 0 && picker.chance(0.05);
  const framing = isChunked ? "transfer-encoding: chunked" : `content-length: ${body.length}`;
  const head = ["POST /event/hit HTTP/1.1", "host: siege", ...headers, framing, "", ""].join("\r\n");
  const chunks = isChunked ? [`${body.length.toString(16)}\r\n`, body, "\r\n0\r\n\r\n"] : [body];
  return Buffer.concat([head, ...chunks].map((part) => Buffer.from(part as string, "latin1")));
}
