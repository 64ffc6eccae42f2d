/** The command that shows the nodes of a cluster. */
import { behindMsMax } from "../../cluster/gate.ts";
import type { HeardNode } from "../../cluster/roster.ts";
import { Refusal } from "../../core/refusal.ts";
import type { Command } from "../command.ts";
import { callServer, serverListens } from "../socket.ts";

/** A node says each second that it runs. */
const silentMsMax = 2_500;

export const clusterStatus: Command = {
  words: ["cluster", "status"],
  operands: [],
  flags: [],
  description:
    "List the nodes of the cluster: name, what each does, its last record, seconds behind, level of its format and version, separated by a tab",
  exitCodes: { 0: "one of them takes hits and changes, and none is silent or behind", 1: "it is not so" },
  run: async ({ settings: { folder }, terminal }) => {
    if (!(await serverListens(folder)))
      throw new Refusal(404, `no server runs on ${folder}: name the data folder of a node with --data`);
    const nodes = (await callServer(folder, "clusterStatus", null)) as readonly HeardNode[];
    const isSilent = ({ silentMs }: HeardNode) => silentMs > silentMsMax;
    for (const node of nodes) {
      const { name, isSequencer, seq, behindMs, silentMs, level, version } = node;
      const behind = (behindMs / 1_000).toFixed(1);
      const does = isSequencer ? "sequences" : "follows";
      const state = isSilent(node) ? `not heard for ${Math.round(silentMs / 1_000)} s` : does;
      terminal.print([name, state, seq, behind, level, version].join("\t"));
    }
    const isSound =
      nodes.filter(({ isSequencer }) => isSequencer).length === 1 &&
      nodes.every((node) => node.behindMs <= behindMsMax && !isSilent(node));
    return isSound ? 0 : 1;
  },
};
