/**
 * Measures what API tokens save and cost: the CPU of a page view that a server sends in a batch beside that of one that
 * comes by itself, and of a question with a token beside one with a cookie. The kinds are measured in turn on one
 * server; CPU is that of all of its threads.
 */
import type { ServerProcess } from "../test/support/server.ts";
import { sendAll } from "./client.ts";
import { hostname, withNewServer } from "./folder.ts";
import { median, table } from "./measure.ts";
import { cpuSeconds } from "./memory.ts";

export interface TokensOptions {
  /** Page views of each kind and round, a multiple of `batch`. */
  readonly hits: number;
  readonly batch: number;
  readonly questions: number;
  readonly rounds: number;
  readonly command?: readonly string[];
}

export interface TokensResult {
  readonly what: string;
  readonly cpuMicroseconds: number;
}

interface Kind {
  readonly what: string;
  readonly requests: number;
  /** The hits or questions of a request. */
  readonly each: number;
  readonly request: (at: number, round: number) => string;
}

/** Medians of the rounds; the first round warms up. */
export function benchTokens(options: TokensOptions): Promise<TokensResult[]> {
  return withNewServer(async (server) => {
    const all = await kindsOf(options, server);
    const microseconds = all.map((): number[] => []);
    for (let round = 0; round <= options.rounds; round++)
      for (const [at, { what, requests, each, request }] of all.entries()) {
        const before = cpuSeconds(server.pid);
        let failed = 0;
        const note = (_: number, answer: string) =>
          void (failed += answer.startsWith("HTTP/1.1 200") ? 0 : 1);
        await sendAll(server.port, requests, 8, (index) => request(index, round), note);
        if (failed > 0) throw new Error(`${what}: ${failed} of ${requests} requests failed`);
        const spent = (cpuSeconds(server.pid) - before) * 1e6;
        if (round > 0) microseconds[at]?.push(spent / (requests * each));
      }
    return all.map(({ what }, at) => ({ what, cpuMicroseconds: median(microseconds[at] ?? []) }));
  }, options.command);
}

export function tokensTable(results: readonly TokensResult[]): string {
  return table(
    ["asked", "CPU µs each"],
    results.map(({ what, cpuMicroseconds }) => [what, cpuMicroseconds]),
  );
}

async function kindsOf({ hits, batch, questions }: TokensOptions, server: ServerProcess): Promise<Kind[]> {
  const tokenFor = async (scope: string) => {
    const made = await server.post("/user/tokens", { name: scope, scope });
    return `authorization: Bearer ${((await made.json()) as { token: string }).token}\r\n`;
  };
  const [sends, reads] = [await tokenFor("send"), await tokenFor("read")];
  const batches = (time: () => object) => (name: string) => (at: number, round: number) => {
    const views = Array.from({ length: batch }, (_, index) => {
      const place = at * batch + index;
      return { ...viewOf(`${name}-${round}-${place}`, place), ...visitorOf(place), ...time() };
    });
    return postText("/event/batch", sends, { hits: views });
  };
  const single = (at: number, round: number) => {
    const { user_agent, language, address } = visitorOf(at);
    const headers = `x-forwarded-for: ${address}\r\nuser-agent: ${user_agent}\r\naccept-language: ${language}\r\n`;
    return postText("/event/hit", headers, viewOf(`s-${round}-${at}`, at));
  };
  const question = (headers: string) => () =>
    `GET /website/${hostname}/browsers HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n`;
  const hour = () => ({ time: new Date(Date.now() - 3_600_000).toISOString() });
  const batched = { requests: hits / batch, each: batch };
  const asked = { requests: questions, each: 1 };
  return [
    { what: "a page view by itself", requests: hits, each: 1, request: single },
    { what: `one in a batch of ${batch}`, ...batched, request: batches(() => ({}))("b") },
    { what: "the same, of an hour ago", ...batched, request: batches(hour)("t") },
    { what: "a question with a cookie", ...asked, request: question(`cookie: ${server.cookie}\r\n`) },
    { what: "a question with a token", ...asked, request: question(reads) },
  ];
}

function viewOf(b: string, at: number) {
  const u = `https://${hostname}/docs/page-${at % 5_000}`;
  return { b, u, p: at % 3 === 0, r: "https://news.example/list", t: "Europe/Berlin" };
}

function visitorOf(at: number) {
  return {
    user_agent: `Mozilla/5.0 (X11; Linux x86_64; rv:${100 + (at % 50)}.0) Gecko/20100101 Firefox/${100 + (at % 50)}.0`,
    language: "de-DE,de;q=0.9,en;q=0.8",
    address: `198.51.${at % 50}.${at % 61}`,
  };
}

function postText(path: string, headers: string, body: object): string {
  const text = JSON.stringify(body);
  return `POST ${path} HTTP/1.1\r\nhost: localhost\r\n${headers}content-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
}
