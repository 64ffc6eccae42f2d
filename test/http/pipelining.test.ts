/**
 * Several requests that are sent on one connection before the first is answered. Bun answers them in order as long as each
 * answer is there at once; one behind an answer that is still being made ends the connection (oven-sh/bun#38128). So a
 * client has a beginning of its answers, in order, and knows by the end of the connection which of them it has not.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Listening } from "../../src/http/serve.ts";
import { sendRaw } from "../siege/raw.ts";
import type { TestServer } from "../support/http.ts";
import { startListening } from "../support/listening.ts";
import { randomBySeed } from "../support/seed.ts";
import { browser } from "../support/server.ts";

let server: TestServer;
let cookie: string;
let listening: Listening;
beforeAll(async () => {
  ({ server, cookie, listening } = await startListening());
});
afterAll(() => listening.stop(1_000));

interface Asked {
  readonly bytes: string;
  /** Matches its answer and no other. */
  readonly answer: RegExp;
}

function request(line: string, body: string, answer: RegExp): Asked {
  const head = [
    `${line} HTTP/1.1`,
    "Host: localhost",
    `User-Agent: ${browser}`,
    `Cookie: _me_sess=${cookie}`,
  ];
  const length = body === "" ? [] : [`Content-Length: ${body.length}`];
  return { bytes: [...head, ...length, "", body].join("\r\n"), answer };
}

const hit = (beacon: string) =>
  request(
    "POST /event/hit",
    JSON.stringify({ b: beacon, u: `https://example.com/${beacon}`, p: true }),
    /"accepted":(true|false,"reason":"duplicate")/,
  );
const question = () => request("GET /website/example.com/browsers", "", /^\[/);
const ping = () => request("GET /event/ping", "", /^[01]$/);
const unknown = () => request("GET /nowhere", "", /no endpoint GET/);
const health = () => request("GET /healthz", "", /"status":"ok"/);

/** The bodies of whole answers. */
function bodiesIn(text: string): string[] {
  const bodies: string[] = [];
  for (let at = 0; ;) {
    const head = /HTTP\/1\.1 \d{3}[^]*?\r\n\r\n/y;
    head.lastIndex = at;
    const [found] = head.exec(text) ?? [];
    if (found === undefined) return bodies;
    const length = Number(/content-length: (\d+)/i.exec(found)?.[1]);
    const body = text.slice(at + found.length, at + found.length + length);
    at += found.length + length;
    bodies.push(body);
  }
}

test("requests on one connection have their own answers in order, or its end", async () => {
  const random = randomBySeed();
  const made = [hit, question, ping, unknown, health];
  for (let round = 0; round < 40; round++) {
    const all = Array.from({ length: 6 }, (_, at) =>
      (made[Math.floor(random() * made.length)] as typeof hit)(`${round}-${at}`),
    );
    // A client that was cut asks again for what was not answered, as RFC 9112 (9.3.2) has it.
    for (let left = all, tries = 0; left.length > 0; tries++) {
      const together = tries % 2 === 0 ? left : left.slice(0, 1);
      const isWhole = (text: string) => bodiesIn(text).length === together.length;
      const parts =
        random() < 0.5 ? together.map(({ bytes }) => bytes).join("") : together.map(({ bytes }) => bytes);
      const { text, closed } = await sendRaw(listening.port, parts, { isWhole, msMax: 15_000 });
      const bodies = bodiesIn(text);
      expect(bodies.length === together.length || closed).toBe(true);
      for (const [at, body] of bodies.entries()) expect(body).toMatch((together[at] as Asked).answer);
      left = left.slice(bodies.length);
    }
    const hits = all.filter(({ bytes }) => bytes.startsWith("POST"));
    const path = `/website/example.com/pages?path[starts_with]=/${round}-`;
    const pages = await server.get<{ pageviews: number }[]>(path, cookie);
    expect(pages).toHaveLength(hits.length);
    expect(pages.every(({ pageviews }) => pageviews === 1)).toBe(true);
  }
});
