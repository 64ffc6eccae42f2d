/** The command that shows the nodes of a cluster. */
import { behindMsMax } from "../../http/answers/cluster-answer.ts";
import { heardMs, silentMsMax, unknownMs } from "../../core/node-times.ts";
import type { HeardNode } from "../../cluster/roster/roster.ts";
import { Refusal } from "../../core/refusal.ts";
import type { Command } from "../command.ts";
import { expectReadable } from "../data-folder.ts";
import { callServer, serverListens } from "../socket.ts";

export const clusterStatus: Command = {
  words: ["cluster", "status"],
  flags: [
    {
      name: "json",
      description: "Print them as JSON; times in milliseconds",
    },
  ],
  description:
    "List the nodes of the cluster: name, what each does, its last record, seconds behind, level of its format and version, separated by a tab",
  details: [
    [
      "STATE",
      "sequences: takes hits and changes in; follows: has them from there; not heard: is away, or going; gone since: is away, for a day",
    ],
    ["RECORD", "The last record that the node has applied"],
    [
      "BEHIND",
      "How many seconds its answers may be behind; unknown: it has not had everything since its start",
    ],
    ["LEVEL", "The greatest kind of record that it understands: all nodes should have the same"],
  ],
  exitCodes: {
    0: "all is well: hits taken, no node silent or behind, clocks agree, NATS keeps all, backups made",
    1: "it is not so: STATE and BEHIND show it, or standard error says what is wrong",
  },
  run: async ({ settings: { folder }, flags, terminal, clock }) => {
    if (!(await serverListens(folder))) {
      expectReadable(folder);
      throw new Refusal(404, `no server runs on the data folder ${folder}: name that of a node with --data`);
    }
    const nodes = (await callServer(folder, "clusterStatus", null)) as readonly HeardNode[];
    if (flags.has("json")) terminal.print(JSON.stringify(nodes.map(shown), null, 2));
    else for (const line of statusLines(nodes, clock.nowMs())) terminal.print(line);
    for (const { name, trouble } of nodes) if (trouble !== undefined) terminal.note(`${name}: ${trouble}`);
    const sequencing = nodes.filter(({ isSequencer }) => isSequencer).length;
    if (sequencing === 0) terminal.note("no node takes hits and changes at the moment");
    const isSound =
      sequencing === 1 &&
      nodes.every((node) => node.behindMs <= behindMsMax && !isSilent(node) && node.trouble === undefined);
    return isSound ? 0 : 1;
  },
};

function isSilent({ silentMs }: HeardNode): boolean {
  return silentMs > silentMsMax;
}

function stateOf(node: HeardNode, nowMs: number): string {
  const { isSequencer, silentMs } = node;
  if (silentMs > heardMs) return `gone since ${new Date(nowMs - silentMs).toISOString()}`;
  if (isSilent(node)) return `not heard for ${Math.round(silentMs / 1_000)} s`;
  return isSequencer ? "sequences" : "follows";
}

/** Returns what is for programs: the rest is for the other nodes, and of one version. */
function shown({ name, version, level, seq, behindMs, isSequencer, silentMs, trouble }: HeardNode) {
  return { name, version, level, seq, behindMs, isSequencer, silentMs: Math.round(silentMs), trouble };
}

/** Returns a line of heads, and one for each node. */
function statusLines(nodes: readonly HeardNode[], nowMs: number): string[] {
  const rows = nodes.map((node) => {
    const { name, seq, behindMs, level, version } = node;
    const behind = behindMs === unknownMs ? "unknown" : (behindMs / 1_000).toFixed(1);
    return [name, stateOf(node, nowMs), seq, behind, level, version];
  });
  return [["NAME", "STATE", "RECORD", "BEHIND", "LEVEL", "VERSION"], ...rows].map((row) => row.join("\t"));
}
