/**
 * Malformed and smuggling HTTP requests, as bytes. Each carries hits whose paths are its own, so that it can be found out
 * what was counted: the outer one, and one that is hidden where only a wrong reading of the framing finds a request.
 */
import { siegeHostname } from "./attack.ts";

export interface Malformed {
  readonly name: string;
  /** The bytes to send, in latin-1: a character is a byte. */
  readonly bytes: string;
  /** The hits with these paths may be counted: what is odd here is allowed, or means nothing. */
  readonly mayCount: readonly string[];
  /** Part of the request is missing: the client waits ("open"), says that no more comes ("end"), or is gone ("reset"). */
  readonly then: "answered" | "open" | "end" | "reset";
}

const crlf = "\r\n";
/** A browser's user agent: hits of crawlers would not be counted anyway. */
const agent = "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

type Kind = readonly [name: string, write: (hit: Hits) => string, odd?: "allowed" | "open" | "end" | "reset"];

/** The hits of one request. */
class Hits {
  constructor(readonly number: number) {}

  outerPath = () => `/outer-${this.number}`;
  hiddenPath = () => `/hidden-${this.number}`;
  body = (path = this.outerPath()) =>
    JSON.stringify({ b: `${path}-b`, u: `https://${siegeHostname}${path}`, p: true });
  chunk = (text = this.body()) => `${text.length.toString(16)}${crlf}${text}${crlf}`;

  /** A whole request that nothing is wrong with, with the hidden hit. */
  hidden = () => {
    const body = this.body(this.hiddenPath());
    return head("POST /event/hit HTTP/1.1", `Content-Length: ${body.length}`) + body;
  };
}

function head(line: string, ...headers: readonly string[]): string {
  return [line, "Host: localhost", agent, ...headers, "", ""].join(crlf);
}

const post = "POST /event/hit HTTP/1.1";

/** With these headers instead of a right Content-Length, and the hidden request behind the body. */
function framed(...headers: readonly string[]): (hits: Hits) => string {
  return (hits) =>
    head(post, ...headers.map((line) => line.replace("LENGTH", String(hits.body().length)))) +
    hits.body() +
    hits.hidden();
}

/** As chunks for whoever believes that they are: an empty body, and the hidden request. */
function smuggled(...headers: readonly string[]): (hits: Hits) => string {
  return (hits) => {
    const rest = `0${crlf}${crlf}${hits.hidden()}`;
    return head(post, ...headers.map((line) => line.replace("LENGTH", String(rest.length)))) + rest;
  };
}

function chunks(write: (hits: Hits) => string): (hits: Hits) => string {
  return (hits) => head(post, "Transfer-Encoding: chunked") + write(hits);
}

/** Otherwise right, with another line and more headers. */
function asked(line: string, ...headers: readonly string[]): (hits: Hits) => string {
  return (hits) => head(line, `Content-Length: ${hits.body().length}`, ...headers) + hits.body();
}

const badLengths = [
  "",
  " ",
  "+9",
  "-9",
  "0x9",
  "9 9",
  "9, 8",
  "9;",
  "9a",
  "1e1",
  "9.0",
  "\u00b9",
  "9\0",
  "a",
  "--",
  "18446744073709551625",
  "99999999999999999999999999",
];
const lengths: readonly Kind[] = [
  ...badLengths.map((value): Kind => [
    `Content-Length ${JSON.stringify(value)}`,
    framed(`Content-Length: ${value}`),
  ]),
  ["two Content-Lengths, the second less", framed("Content-Length: LENGTH", "Content-Length: 1")],
  ["two Content-Lengths, the first less", framed("Content-Length: 1", "Content-Length: LENGTH")],
  ["Content-Length of two", framed("Content-Length: LENGTH, 1")],
  ["Content-Length with a space before its colon", framed("Content-Length : LENGTH")],
  ["Content-Length with a tab before its colon", framed("Content-Length\t: LENGTH")],
  ["Content-Length after a fold", framed("X: y", " Content-Length: LENGTH")],
  ["Content-Length behind a bare LF", framed("X: y\nContent-Length: LENGTH")],
  ["Content-Length behind a bare CR", framed("X: y\rContent-Length: LENGTH")],
];

const codings = [
  "identity",
  "gzip",
  "xchunked",
  "chunkedx",
  "chunked, chunked",
  "chunked, gzip",
  "chunked, identity",
  "identity, chunked",
  "gzip, chunked",
  "chunked;q=1",
  "\u000bchunked",
  "chunked\0",
  '"chunked"',
  "chunk",
  "cow",
  "",
  "chunked cow",
  "c\0hunked",
];
const encodings: readonly Kind[] = [
  ...codings.map((value): Kind => [
    `Transfer-Encoding ${JSON.stringify(value)}`,
    smuggled(`Transfer-Encoding: ${value}`, "Content-Length: LENGTH"),
  ]),
  ...codings.map((value): Kind => [
    `Transfer-Encoding ${JSON.stringify(value)} without a length`,
    smuggled(`Transfer-Encoding: ${value}`),
  ]),
  // Empty members of a list mean nothing (RFC 9110, 5.6.1): these are chunked, and only a length beside them is wrong.
  ...["chunked,", ", chunked"].map((value): Kind => [
    `Transfer-Encoding ${JSON.stringify(value)}`,
    smuggled(`Transfer-Encoding: ${value}`, "Content-Length: LENGTH"),
  ]),
  [
    "Content-Length before Transfer-Encoding",
    smuggled("Content-Length: LENGTH", "Transfer-Encoding: chunked"),
  ],
  [
    "Content-Length after Transfer-Encoding",
    smuggled("Transfer-Encoding: chunked", "Content-Length: LENGTH"),
  ],
  [
    "Transfer-Encoding with a space before its colon",
    smuggled("Transfer-Encoding : chunked", "Content-Length: LENGTH"),
  ],
  [
    "Transfer-Encoding with a tab before its colon",
    smuggled("Transfer-Encoding\t: chunked", "Content-Length: LENGTH"),
  ],
  [
    "Transfer-Encoding with a space before it",
    smuggled("X: y", " Transfer-Encoding: chunked", "Content-Length: LENGTH"),
  ],
  [
    "Transfer-Encoding behind a bare LF",
    smuggled("X: y\nTransfer-Encoding: chunked", "Content-Length: LENGTH"),
  ],
  [
    "Transfer-Encoding behind a bare CR",
    smuggled("X: y\rTransfer-Encoding: chunked", "Content-Length: LENGTH"),
  ],
  ["Transfer-Encoding in two lines", smuggled("Transfer-Encoding:", " chunked", "Content-Length: LENGTH")],
  ["two Transfer-Encodings", smuggled("Transfer-Encoding: identity", "Transfer-Encoding: chunked")],
  [
    "two Transfer-Encodings, chunked first",
    smuggled("Transfer-Encoding: chunked", "Transfer-Encoding: identity"),
  ],
];

const badSizes = [
  "-1",
  "+5",
  "0x5",
  "g",
  "",
  " ",
  "5 5",
  "5,5",
  "5_",
  "\0",
  "FFFFFFFFFFFFFFFF",
  "10000000000000000",
  "fffffffffffffffffffff",
  "5\n",
  "5\r",
];
const chunkKinds: readonly Kind[] = [
  ...badSizes.map((size): Kind => [
    `chunk of size ${JSON.stringify(size)}`,
    chunks((hits) => `${size}${crlf}${hits.body()}${crlf}0${crlf}${crlf}${hits.hidden()}`),
  ]),
  [
    "chunk that is longer than its size",
    chunks((hits) => `5${crlf}${hits.body()}${crlf}0${crlf}${crlf}${hits.hidden()}`),
  ],
  [
    "chunk without the line's end after it",
    chunks(
      (hits) => `${hits.body().length.toString(16)}${crlf}${hits.body()}0${crlf}${crlf}${hits.hidden()}`,
    ),
  ],
  [
    "chunk that ends with other characters",
    chunks(
      (hits) => `${hits.body().length.toString(16)}${crlf}${hits.body()}xx0${crlf}${crlf}${hits.hidden()}`,
    ),
  ],
  [
    "chunk lines that end with LF",
    chunks((hits) => `${hits.body().length.toString(16)}\n${hits.body()}\n0\n\n${hits.hidden()}`),
  ],
  [
    "chunk extension with a bare LF",
    chunks((hits) => `${hits.body().length.toString(16)};a="\n"${crlf}${hits.body()}${crlf}0${crlf}${crlf}`),
  ],
  [
    "chunk extension with a NUL",
    chunks((hits) => `${hits.body().length.toString(16)};a=\0${crlf}${hits.body()}${crlf}0${crlf}${crlf}`),
    "allowed",
  ],
  [
    "chunk extension",
    chunks((hits) => `${hits.body().length.toString(16)};a=b${crlf}${hits.body()}${crlf}0${crlf}${crlf}`),
    "allowed",
  ],
  [
    "chunk in chunks of one byte",
    chunks((hits) => `${[...hits.body()].map((one) => hits.chunk(one)).join("")}0${crlf}${crlf}`),
    "allowed",
  ],
];

const lines = [
  "POST  /event/hit HTTP/1.1",
  "POST\t/event/hit\tHTTP/1.1",
  "POST /event/hit  HTTP/1.1",
  "POST /event/hit HTTP/1.1 x",
  "POST /event/hit",
  "POST /event/hit HTTP/0.9",
  "POST /event/hit HTTP/2.0",
  "POST /event/hit HTTP/1.2",
  "POST /event/hit HTTP/11",
  "POST /event/hit http/1.1",
  "POST /event/hit HTTP /1.1",
  "POST /event/hit HTTPS/1.1",
  "post /event/hit HTTP/1.1",
  "PO ST /event/hit HTTP/1.1",
  "P\0ST /event/hit HTTP/1.1",
  "POST\u00e9 /event/hit HTTP/1.1",
  "GET /event/hit HTTP/1.1",
  "PUT /event/hit HTTP/1.1",
  "TRACE /event/hit HTTP/1.1",
  "CONNECT localhost:80 HTTP/1.1",
  "PRI * HTTP/2.0",
  "POST * HTTP/1.1",
  "POST  HTTP/1.1",
  "POST event/hit HTTP/1.1",
  "POST /event/hit\0 HTTP/1.1",
  "POST /event/hit%00 HTTP/1.1",
  "POST /event/hit/ HTTP/1.1",
  "POST /event//hit HTTP/1.1",
  "POST /event/hit;a=b HTTP/1.1",
  "POST /event/\u00a0hit HTTP/1.1",
  "POST /EVENT/HIT HTTP/1.1",
  " POST /event/hit HTTP/1.1",
  "\0POST /event/hit HTTP/1.1",
  `${"A".repeat(20_000)} /event/hit HTTP/1.1`,
  `POST /event/hit/${"a".repeat(70_000)} HTTP/1.1`,
];
/** Other spellings of the same endpoint, which a server may understand. */
const oddLines = [
  "POST /event/hit?a=b HTTP/1.1",
  "POST /event/hit#a HTTP/1.1",
  "POST /event/%68it HTTP/1.1",
  "POST /x/../event/hit HTTP/1.1",
  "POST /./event/hit HTTP/1.1",
  "POST //event/hit HTTP/1.1",
  "POST /event\\hit HTTP/1.1",
  "POST http://localhost/event/hit HTTP/1.1",
  "POST http://other.example/event/hit HTTP/1.1",
  "POST ftp://localhost/event/hit HTTP/1.1",
  "POST http:///event/hit HTTP/1.1",
  "POST /event/hit HTTP/1.0",
  `${crlf}POST /event/hit HTTP/1.1`,
];
const lineKinds: readonly Kind[] = [
  ...lines.map((line): Kind => [`line ${JSON.stringify(line.slice(0, 40))}`, asked(line)]),
  ...oddLines.map((line): Kind => [`line ${JSON.stringify(line)}`, asked(line), "allowed"]),
];

const badHeaders = [
  "no colon",
  ": no name",
  "two words: x",
  "na\0me: x",
  "na\u00efme: x",
  "name\u007f: x",
  "name: a\0b",
  "name: a\u0001b",
  "name: a\u007fb",
  "name: a\rb",
  "(name): x",
  "na@me: x",
  "name : x",
  "name\u000b: x",
];
const oddHeaders = [
  "Host: other.example",
  "name: \u00e9",
  "Connection: Content-Length",
  "Connection: close, keep-alive",
  "Upgrade: h2c",
  "Upgrade: websocket",
  "Expect: 200-ok",
  "TE: trailers, chunked",
  "Trailer: Content-Length",
  "Content-Encoding: gzip",
  "Content-Type: multipart/form-data",
  "X-HTTP-Method-Override: DELETE",
  "Content_Length: 1",
  "Cookie: _me_sess=\u00ff",
];
const headerKinds: readonly Kind[] = [
  ...badHeaders.map((line): Kind => [`header ${JSON.stringify(line)}`, asked(post, line), "allowed"]),
  ...oddHeaders.map((line): Kind => [`header ${JSON.stringify(line)}`, asked(post, line), "allowed"]),
  ["header in two lines", asked(post, "name: a", " b"), "allowed"],
  ["header of 100 KB", asked(post, `name: ${"a".repeat(100_000)}`)],
  ["5,000 headers", asked(post, ...Array.from({ length: 5_000 }, (_, at) => `name-${at}: a`))],
  [
    "no host",
    (hits) =>
      `${post}${crlf}${agent}${crlf}Content-Length: ${hits.body().length}${crlf}${crlf}${hits.body()}`,
    "allowed",
  ],
  [
    "lines that end with LF",
    (hits) => `${post}\nHost: localhost\n${agent}\nContent-Length: ${hits.body().length}\n\n${hits.body()}`,
  ],
  [
    "lines that end with CR",
    (hits) => `${post}\rHost: localhost\r${agent}\rContent-Length: ${hits.body().length}\r\r${hits.body()}`,
    "end",
  ],
];

const bodies: readonly (readonly [string, (json: string) => string])[] = [
  ["half a JSON", (json) => json.slice(0, -5)],
  ["two JSONs", (json) => json + json],
  ["JSON with a NUL", (json) => `${json}\0`],
  ["JSON in UTF-16", (json) => [...json].map((one) => `${one}\0`).join("")],
  ["an array of hits", (json) => `[${json}]`],
  ["a text of JSON", (json) => JSON.stringify(json)],
  ["100,000 brackets", () => "[".repeat(60_000)],
  [
    "names for which JSON makes a thousand places each",
    () => `${'{"999":'.repeat(8_000)}1${"}".repeat(8_000)}`,
  ],
  ["a form", (json) => `hit=${json}`],
  ["nothing", () => ""],
];
const bodyKinds = bodies.map(([name, of]): Kind => [
  `body: ${name}`,
  (hits) =>
    head(post, `Content-Length: ${of(hits.body()).length}`) + of(hits.body()) + head("GET /healthz HTTP/1.1"),
]);

/** Nothing is as long as it says. */
const partialKinds = (["open", "end", "reset"] as const).flatMap((then): Kind[] => [
  [`${then} after nothing`, () => "", then],
  [`${then} after half a line`, () => post.slice(0, 9), then],
  [`${then} after half the headers`, () => `${post}${crlf}Host: loc`, then],
  [`${then} after the headers`, (hits) => head(post, `Content-Length: ${hits.body().length}`), then],
  [
    `${then} after half a body`,
    (hits) => head(post, `Content-Length: ${hits.body().length + 9}`) + hits.body(),
    then,
  ],
  [`${then} after half a large body`, (hits) => head(post, "Content-Length: 60000") + hits.body(), then],
  [`${then} after a chunk`, chunks((hits) => hits.chunk()), then],
  [`${then} within a chunk`, chunks((hits) => `ff${crlf}${hits.body()}`), then],
]);

const otherProtocols: readonly Kind[] = [
  ["TLS", () => "\u0016\u0003\u0001\u0002\0\u0001\0\u0001\u00fc\u0003\u0003", "end"],
  ["SSH", () => `SSH-2.0-OpenSSH_9.2${crlf}`, "end"],
  ["HTTP/2", () => `PRI * HTTP/2.0${crlf}${crlf}SM${crlf}${crlf}`, "end"],
  ["PROXY protocol", (hits) => `PROXY TCP4 192.0.2.1 192.0.2.2 1 2${crlf}${asked(post)(hits)}`],
  ["zeros", () => "\0".repeat(1_000), "end"],
  ["line ends", () => crlf.repeat(5_000), "end"],
];

/** All of them, numbered from 0. */
export function malformedRequests(): Malformed[] {
  const kinds = [
    ...lengths,
    ...encodings,
    ...chunkKinds,
    ...lineKinds,
    ...headerKinds,
    ...bodyKinds,
    ...partialKinds,
    ...otherProtocols,
  ];
  return kinds.map(([name, write, odd], number) => {
    const hits = new Hits(number);
    const mayCount = odd === "allowed" ? [hits.outerPath()] : [];
    return {
      name,
      bytes: write(hits),
      mayCount,
      then: odd === undefined || odd === "allowed" ? "answered" : odd,
    };
  });
}
