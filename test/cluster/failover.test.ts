/**
 * Things that nodes have in memory only: they pass between nodes, are in no file of NATS or of a node, and go with the node
 * that sequences. The ids of events pass so too, but all nodes have their hashes from the log.
 */
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { useExecutable } from "../support/executable.ts";
import { withFolder } from "../support/folder.ts";
import { longTest } from "../support/long-test.ts";
import { describeWith } from "../support/needs.ts";
import { NatsServers } from "../support/nats.ts";
import { account, ServerProcess } from "../support/server.ts";
import { until } from "../support/until.ts";

const hostname = "example.com";
const visitor = {
  address: "198.51.100.77",
  agent: "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0",
};
/** A page view that a link of the website led to. */
const within = { p: false, q: false, r: `https://${hostname}/first` };
const token = "token-of-the-metrics";

/** Sends a page view of the one visitor. */
function view(node: ServerProcess, path: string, more: object): Promise<Response> {
  const body = { b: `beacon of ${path}`, u: `https://${hostname}${path}`, ...more };
  const headers = { "user-agent": visitor.agent, "x-forwarded-for": visitor.address };
  return node.post("/event/hit", body, headers);
}

async function sequences(node: ServerProcess): Promise<boolean> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(node.url("/metrics"), { headers }).catch(() => undefined);
  return (await answer?.text())?.includes("\nfootfall_sequencer 1\n") ?? false;
}

/** Returns the names of the files below a folder that have one of these texts. */
function filesWith(folder: string, texts: readonly string[]): string[] {
  const all = [...new Bun.Glob("**/*").scanSync({ cwd: folder, onlyFiles: true, dot: true })];
  return all.filter((name) => {
    const bytes = readFileSync(join(folder, name));
    return texts.some((text) => bytes.includes(text));
  });
}

interface Pair {
  readonly top: string;
  /** The folder of the nats-server. */
  readonly stored: string;
  readonly sequencing: ServerProcess;
  readonly other: ServerProcess;
}

/** Runs two nodes, with two page views of one visitor that came to the one that does not sequence. */
function withPair(act: (pair: Pair) => Promise<void>): Promise<void> {
  return withFolder(async (top) => {
    const stored = join(top, "nats");
    mkdirSync(stored);
    const nats = await NatsServers.start({ folder: stored });
    const nodes: ServerProcess[] = [];
    try {
      for (const name of ["a", "b"]) {
        mkdirSync(join(top, name));
        const args = [...nats.flags, "--metrics-token", token];
        nodes.push(await ServerProcess.start([useExecutable()], join(top, name), args));
      }
      let at = -1;
      await until(async () => {
        at = (await Promise.all(nodes.map(sequences))).indexOf(true);
        return at !== -1;
      }, "a node sequences");
      const [sequencing, other] = [nodes[at], nodes[1 - at]] as [ServerProcess, ServerProcess];
      await until(() => other.logIn().then(() => true), "one logs in");
      expect((await other.post("/websites", { hostname })).status).toBe(201);
      const first = { p: true, q: false, r: "https://news.example/list" };
      expect(await (await view(other, "/first", first)).json()).toEqual({ accepted: true });
      expect(await (await view(other, "/second", within)).json()).toEqual({ accepted: true });
      await act({ top, stored, sequencing, other });
    } finally {
      await Promise.all(nodes.map((node) => node.end("SIGKILL")));
      await nats.stop();
    }
  });
}

async function sources(node: ServerProcess): Promise<unknown[]> {
  const rows = await node.rows(hostname, "referrers?by=visit&metrics=visits,pageviews");
  return rows.map(({ referrer, visits, pageviews }) => [referrer, visits, pageviews]);
}

describeWith("nats", "what nodes have in memory only", () => {
  test("who a visitor is, and what lets somebody in, is in no file of NATS or of a node", () =>
    withPair(async ({ top, stored, sequencing, other }) => {
      const session = other.cookie.split("=")[1] ?? "";
      for (const node of [sequencing, other]) expect(await node.end("SIGTERM")).toBe(0);
      // Paths are found, and so would the others be.
      expect(filesWith(stored, ["/second"]).length).toBeGreaterThan(0);
      const secrets = [visitor.address, "198.51.100", visitor.agent, "rv:141.0", account.password, session];
      expect(Math.min(...secrets.map(({ length }) => length))).toBeGreaterThan(7);
      expect(filesWith(top, secrets)).toEqual([]);
    }));

  longTest("open visits begin anew, of an unknown source, where another node sequences", () =>
    withPair(async ({ sequencing, other }) => {
      expect(await sources(other)).toEqual([["news.example", 1, 2]]);
      expect(await sequencing.end("SIGKILL")).toBe(137);
      await until(async () => (await view(other, "/third", within)).ok, "the other one takes hits");
      expect(await sources(other)).toEqual([
        ["news.example", 1, 2],
        ["Unknown", 1, 1],
      ]);
    }),
  );
});

describeWith("nats", "what all nodes know", () => {
  longTest("an event with an id counts once over all nodes, also where another one sequences", () =>
    withPair(async ({ top, sequencing, other }) => {
      const order = (i: string) => ({ i, d: { order: "paid" } });
      const send = (node: ServerProcess, i: string) => view(node, "/thanks", order(i));
      const outcome = async (node: ServerProcess, i: string) => (await send(node, i)).json();
      const duplicate = { accepted: false, reason: "duplicate" };
      const [first, second] = ["order-4711-x7Gq", "order-4712-k2Wz"];
      expect(await outcome(other, first)).toEqual({ accepted: true });
      expect(await outcome(sequencing, first)).toEqual(duplicate);
      expect(await outcome(sequencing, second)).toEqual({ accepted: true });
      expect(await sequencing.end("SIGKILL")).toBe(137);
      await until(async () => (await view(other, "/third", within)).ok, "the other one takes hits");
      for (const i of [first, second]) expect(await outcome(other, i)).toEqual(duplicate);
      expect(await other.end("SIGTERM")).toBe(0);
      expect(filesWith(top, [first, second])).toEqual([]);
    }),
  );
});
