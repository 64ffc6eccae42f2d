import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Collector } from "../../../src/collect/fact.ts";
import { caddyLog, nginxJsonLog } from "../../../src/cli/import/formats/logs/json-line.ts";
import { parseLine } from "../../../src/cli/import/formats/logs/text-line.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { userAgent } from "../../support/made-up-people.ts";
import { seed } from "../../support/seed.ts";

const plain =
  '203.0.113.7 - - [17/May/2015:10:05:03 +0000] "GET /a?b=c HTTP/1.1" 200 203023 "http://example.com/" "Mozilla/5.0"';
const tenMs = Date.UTC(2015, 4, 17, 10, 5, 3);
const parts = {
  hostname: "",
  address: "203.0.113.7",
  time: { timeMs: tenMs, offsetMs: 0 },
  method: "GET",
  target: "/a?b=c",
  status: 200,
  referrer: "http://example.com/",
  userAgent: "Mozilla/5.0",
  acceptLanguage: "",
};
const hourMs = 3_600_000;
/** The plain line with one part of it replaced. */
const line = (part: string, by: string) => plain.replace(part, by);

describe("parseLine", () => {
  test("takes a combined line apart", () => {
    expect(parseLine(plain)).toEqual(parts);
  });

  test.each([
    ["IPv6", "203.0.113.7", "2001:db8::17", { address: "2001:db8::17" }],
    ["a host name", "203.0.113.7", "client.example.net", { address: "client.example.net" }],
    ["a user", "- - [", "- ada [", {}],
    ["what syslog writes before a line", "203", "May 17 10:05:03 web1 nginx: 203", {}],
    ["the same with the number of a process", "203", "<190>May 17 10:05:03 10.0.0.5 nginx [7]: 203", {}],
    ["what Docker Compose writes before a line", "203", "web-1  | 203", {}],
    ["a time before a line", "203", "2015-05-17T10:05:03.000000001Z 203", {}],
    ["the same with IPv6", "203.0.113.7", "web-1 | ::1", { address: "::1" }],
    [
      "several addresses, the client's first",
      "203.0.113.7",
      "203.0.113.7, 10.0.0.1",
      { address: "203.0.113.7," },
    ],
    ["a user like an address", "- - [", "- x 10.0.0.1 - - [", {}],
    ["a user with spaces", "- - [", "- ada of [the] hill [", {}],
    ["no referrer", '"http://example.com/"', '"-"', { referrer: "" }],
    ["no user agent", '"Mozilla/5.0"', '"-"', { userAgent: "" }],
    ["an empty user agent", '"Mozilla/5.0"', '""', { userAgent: "" }],
    ["no bytes", " 203023 ", " - ", {}],
    ["HTTP/2", "HTTP/1.1", "HTTP/2", {}],
    ["HTTP/0.9", "GET /a?b=c HTTP/1.1", "GET /a", { target: "/a" }],
    ["a proxy's request", "GET /a?b=c", "GET http://other.example/", { target: "http://other.example/" }],
    ["escaped quotes", '"Mozilla/5.0"', String.raw`"a \"b\" \\ c"`, { userAgent: String.raw`a "b" \ c` }],
    ["bytes in hex", "/a?b=c", String.raw`/caf\xC3\xA9`, { target: "/café" }],
    ["an escaped backslash before an x", "Mozilla/5.0", String.raw`\\x41`, { userAgent: String.raw`\x41` }],
    ["what a server appends", '"Mozilla/5.0"', '"Mozilla/5.0" "10.0.0.1" 0.004', {}],
    [
      "a zone to the east",
      "+0000",
      "+0530",
      { time: { timeMs: tenMs - 5.5 * hourMs, offsetMs: 5.5 * hourMs } },
    ],
    ["a zone to the west", "+0000", "-0800", { time: { timeMs: tenMs + 8 * hourMs, offsetMs: -8 * hourMs } }],
    ["a part of a second", "10:05:03", "10:05:03.250", { time: { timeMs: tenMs + 250, offsetMs: 0 } }],
    [
      "RFC 3339",
      "17/May/2015:10:05:03 +0000",
      "2015-05-17T12:05:03+02:00",
      { time: { timeMs: tenMs, offsetMs: 2 * hourMs } },
    ],
    ["what follows without a space", '"Mozilla/5.0"', '"Mozilla/5.0"rt=0.000 "', {}],
    [
      "a leap second",
      "17/May/2015:10:05:03",
      "31/Dec/2016:23:59:60",
      { time: { timeMs: Date.UTC(2017, 0, 1), offsetMs: 0 } },
    ],
    [
      "a leap day",
      "17/May/2015",
      "29/Feb/2016",
      { time: { timeMs: Date.UTC(2016, 1, 29, 10, 5, 3), offsetMs: 0 } },
    ],
  ])("understands %s", (_, part, by, change) => {
    expect(parseLine(line(part, by))).toEqual({ ...parts, ...change });
  });

  test.each([
    ["172.18.0.2", "198.51.100.9", "198.51.100.9"],
    ["::1", "2001:db8::9", "2001:db8::9"],
    // Clients may send the header too: a proxy appends who sent it.
    ["127.0.0.1", "192.0.2.66, 198.51.100.9, 10.0.0.4", "198.51.100.9"],
    ["unix:", "198.51.100.9", "198.51.100.9"],
    ["172.18.0.2", "10.0.0.4", "172.18.0.2"],
    ["172.18.0.2", "-", "172.18.0.2"],
    ["203.0.113.7", "198.51.100.9", "203.0.113.7"],
    ["10.0.0.2", "192.0.2.66, 198.51.100.9:4711", "198.51.100.9"],
    ["10.0.0.2", "[2001:db8::7]:4711", "2001:db8::7"],
  ])("of a line of %s with X-Forwarded-For %s finds the client %s", (address, forwarded, client) => {
    const sent = `${plain.replace("203.0.113.7", address)} "${forwarded}" 0.004`;
    expect(parseLine(sent)).toEqual({ ...parts, address: client });
    expect(parseLine(`example.com ${sent}`, "vhost_combined")?.address).toBe(client);
  });

  const forwarded = "192.0.2.66, 198.51.100.9";
  const nginx = { http_x_forwarded_for: forwarded, http_user_agent: userAgent, request: "GET / HTTP/1.1" };
  const headers = { "User-Agent": [userAgent], "X-Forwarded-For": [forwarded] };
  const request = { host: "example.com", method: "GET", uri: "/", headers };
  test.each([
    ["nginx", nginxJsonLog, (address: string) => ({ ...nginx, msec: 1, remote_addr: address })],
    ["Caddy", caddyLog, (address: string) => ({ ts: 1, request: { ...request, remote_ip: address } })],
  ])("%s's lines in JSON name the client likewise", (_, format, of) => {
    const visitorOf = (address: string) => {
      const reader = format.open({ collector: new Collector(), hostname: "example.com" });
      const row = reader.read(JSON.stringify({ ...of(address), status: 200 }));
      return typeof row === "string" ? row : row.visitor;
    };
    expect(visitorOf("172.18.0.2")).toBe(`198.51.100.9\n${userAgent}`);
    expect(visitorOf("203.0.113.7")).toBe(`203.0.113.7\n${userAgent}`);
  });

  test.each([
    {
      ...{
        ClientHost: "203.0.113.7",
        RequestHost: "example.com",
        RequestMethod: "GET",
        RequestPath: "/a?b=c",
      },
      ...{ DownstreamStatus: 200, time: "2015-05-17T10:05:03Z", "request_Accept-Language": "de" },
      ...{ request_Referer: "https://a.example/", "request_User-Agent": userAgent },
    },
    {
      ...{ ClientIP: "203.0.113.7", ClientRequestHost: "example.com", ClientRequestMethod: "GET" },
      ...{
        ClientRequestURI: "/a?b=c",
        EdgeResponseStatus: 200,
        EdgeStartTimestamp: tenMs * 1e6,
        accept_language: "de",
      },
      ...{ ClientRequestReferer: "https://a.example/", ClientRequestUserAgent: userAgent },
    },
  ])("lines of Traefik and Cloudflare in JSON are read as those of nginx: %p", (line) => {
    const of = {
      msec: tenMs / 1_000,
      remote_addr: "203.0.113.7",
      host: "example.com",
      request: "GET /a?b=c HTTP/1.1",
    };
    const same = {
      status: 200,
      http_referer: "https://a.example/",
      http_user_agent: userAgent,
      accept_language: "de",
    };
    const read = (text: object) => {
      expect(nginxJsonLog.recognises([JSON.stringify(text)])).toBe(true);
      return nginxJsonLog
        .open({ collector: new Collector(), hostname: "example.com" })
        .read(JSON.stringify(text));
    };
    expect(read(line)).toEqual(read({ ...of, ...same }));
    expect(read(line)).toMatchObject({ kind: "view", timeMs: tenMs });
  });

  test.each([
    ["nothing", plain, ""],
    ["a line that was cut", '/5.0"', ""],
    ["common format", ' "http://example.com/" "Mozilla/5.0"', ""],
    ["a day that does not exist", "17/May", "31/Jun"],
    ["a month that does not exist", "May", "Mai"],
    ["an hour that does not exist", ":10:05:03", ":24:05:03"],
    ["a time without a zone", " +0000", ""],
    ["a month out of range", "17/May/2015:10:05:03 +0000", "2015-13-17T10:05:03Z"],
    ["a request that is none", "GET /a?b=c HTTP/1.1", "-"],
    ["a handshake", "GET /a?b=c HTTP/1.1", String.raw`\x16\x03\x01`],
    ["a status that is none", " 200 ", " 20 "],
    ["JSON", plain, '{"path":"/"}'],
  ])("does not take %s", (_, part, by) => {
    expect(parseLine(line(part, by))).toBeUndefined();
  });

  test("never throws, and takes no longer for a hostile line", () => {
    const startMs = cpuMs();
    const piece = fc.constantFrom(
      '"',
      "\\",
      "[",
      "] ",
      " ",
      "-",
      '"GET / HTTP/1.1" ',
      "[17/May/2015:10:05:03 +0000]",
      "200 ",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 50, size: "max" }), (pieces) => {
        parseLine(pieces.join(""));
      }),
      { seed: seed() },
    );
    for (const repeated of [
      '"',
      "\\",
      '\\"',
      "[17/May/2015:10:05:03 +0000] ",
      '[17/May/2015:10:05:03 +0000] "',
      '1.2.3.4 - - [17/May/2015:10:05:03 +0000] "',
      "1:",
    ])
      parseLine(`a ${repeated.repeat(65_000 / repeated.length)}`);
    expect(cpuMs() - startMs).toBeLessThan(2_000);
  });
});
