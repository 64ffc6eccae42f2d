/** `footfall cluster status`, asked of a server that runs. */
import { expect, test } from "bun:test";
import { useFolder } from "../support/folder.ts";
import { run } from "../support/program.ts";
import { openSocket } from "../../src/cli/socket.ts";
import type { HeardNode } from "../../src/cluster/roster/roster.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { RecordedTerminal } from "../support/recorded-terminal.ts";

const folder = useFolder();

const a: HeardNode = {
  name: "a",
  version: "0.1.0",
  level: 43,
  seq: 1_234,
  behindMs: 0,
  isSequencer: true,
  silentMs: 300,
};
const b: HeardNode = { ...a, name: "b", seq: 1_200, behindMs: 1_450, isSequencer: false, silentMs: 4_200 };

async function status(nodes: readonly HeardNode[], ...flags: string[]) {
  const socket = openSocket(folder, { clusterStatus: async () => nodes }, silentLogger, Response.error);
  const terminal = new RecordedTerminal();
  const code = await run(["cluster", "status", "--data", folder, ...flags], {}, terminal).finally(() =>
    socket.close(),
  );
  const { printed, noted } = terminal;
  return { code, printed, noted };
}

test("what is wrong with NATS is said, and is no success", async () => {
  const alone = { ...a, trouble: "no server of NATS is reached" };
  expect(await status([alone])).toMatchObject({ code: 1, noted: ["a: no server of NATS is reached"] });
});

test("that no node takes hits is said, and is no success", async () => {
  const noted = ["no node takes hits and changes at the moment"];
  expect(await status([{ ...a, isSequencer: false }])).toMatchObject({ code: 1, noted });
});

test("a node that is gone has the time since when, and one that has not had everything has no number of seconds", async () => {
  const gone = { ...b, silentMs: 7_200_000 };
  const beforeMs = Date.now();
  const { code, printed } = await status([{ ...a, behindMs: 3_600_000 }, gone]);
  const [since = ""] = /(?<=gone since )[^\t]*/.exec(printed[2] ?? "") ?? [];
  expect(Math.abs(Date.parse(since) - (beforeMs - 7_200_000))).toBeLessThan(60_000);
  expect([code, printed[1]]).toEqual([1, "a\tsequences\t1234\tunknown\t43\t0.1.0"]);
});

test("the status of a cluster has heads above its columns, and the same as JSON", async () => {
  const lines = [
    "NAME\tSTATE\tRECORD\tBEHIND\tLEVEL\tVERSION",
    "a\tsequences\t1234\t0.0\t43\t0.1.0",
    "b\tnot heard for 4 s\t1200\t1.4\t43\t0.1.0",
  ];
  expect(await status([a, b])).toEqual({ code: 1, printed: lines, noted: [] });
  expect(await status([a])).toEqual({ code: 0, printed: lines.slice(0, 2), noted: [] });
  // Nodes tell each other more, which is of one version.
  const ofNodes = { settings: { base: '[""]' }, state: { form: 1, digests: [] }, breaks: 0, wallMs: 1 };
  const late = { ...b, trouble: "its disk is nearly full" };
  const json = await status([{ ...a, ...ofNodes, silentMs: 300.4 }, late], "--json");
  expect(json.code).toBe(1);
  expect(JSON.parse(json.printed.join("\n"))).toEqual([a, late]);
});
