/**
 * The functions of the control socket on a node of a cluster. Those that change something are carried out by the node that
 * sequences, whichever node was asked; the others have caught up first.
 */
import type { Peers } from "../../cluster/forwarding/peers.ts";
import type { JudgedSender } from "../../collect/hit.ts";
import { Refusal } from "../../core/refusal.ts";
import { fieldsOf, requiredText } from "../../engine/admin/fields.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Control } from "../control/control.ts";
import { resultOf, type Callable } from "../socket.ts";
import type { Use } from "./uses-elsewhere.ts";

/** The kind of each function: one that changes something runs where records are appended. */
const kinds: Readonly<Record<keyof Control, "changes" | "reads">> = {
  addUser: "changes",
  changePassword: "changes",
  removeSecondFactor: "changes",
  users: "reads",
  ownedAlone: "reads",
  removeUser: "changes",
  addWebsite: "changes",
  websites: "reads",
  renameWebsite: "changes",
  removeWebsite: "changes",
  statistics: "reads",
  exportWebsite: "reads",
  importState: "reads",
  importBatch: "changes",
  importTarget: "reads",
  importMonth: "changes",
  pageviewsByDay: "reads",
  inviteMember: "changes",
  addMember: "changes",
  members: "reads",
  subscriptions: "reads",
  removeMember: "changes",
  addToken: "changes",
  tokens: "reads",
  removeToken: "changes",
  purgeWebsite: "changes",
  removeImportedSums: "changes",
};

/** The sender of a command: only somebody on the machine itself may use the socket. */
const thisMachine: JudgedSender = {
  address: "127.0.0.1",
  network: "127.0.0",
  isUnnamedProxy: false,
  isPeerTrusted: true,
};

/** `own`: the functions of this node. */
export function clusterCallables(
  own: Readonly<Record<keyof Control, Callable>>,
  peers: Peers,
): Record<keyof Control | "clusterStatus", Callable> {
  const reading = (call: Callable) => async (input: unknown) => {
    await peers.catchUp();
    return call(input);
  };
  const changing = (name: string, call: Callable) => (input: unknown) =>
    peers.node.isSequencer ? call(input) : carriedOut(peers, name, input);
  const names = Object.keys(kinds) as (keyof Control)[];
  const functions = names.map((name): [keyof Control, Callable] => [
    name,
    kinds[name] === "reads" ? reading(own[name]) : changing(name, own[name]),
  ]);
  return {
    ...(Object.fromEntries(functions) as Record<keyof Control, Callable>),
    clusterStatus: async () => [...peers.node.nodes, ...peers.node.goneNodes()],
  };
}

/** Passes the use of a session or a token on to the node that sequences. */
export function passUse(peers: Peers, use: Use): Promise<unknown> {
  return carriedOut(peers, "logUse", use);
}

/** The functions that other nodes call on the one that sequences: those of the socket, and `logUse`. */
export function calledByNodes(engine: Engine, own: Readonly<Record<keyof Control, Callable>>) {
  const logUse: Callable = (input) => {
    const fields = fieldsOf(input);
    const timeMs = engine.nowMs();
    if (fields["token"] !== undefined)
      return engine.commit({ kind: "tokenUsed", timeMs, tokenId: requiredText(fields, "token") });
    return engine.commit({ kind: "sessionRenewed", timeMs, sessionId: requiredText(fields, "session") });
  };
  return { ...own, logUse };
}

/** The function of a server that is no node. */
export async function noCluster(): Promise<never> {
  throw new Refusal(404, "this server is a single machine: it was started without --nats");
}

async function carriedOut(peers: Peers, name: string, input: unknown): Promise<unknown> {
  const request = new Request(`http://localhost/${name}`, {
    method: "POST",
    body: JSON.stringify(input ?? null),
  });
  const forwarding = { target: "control", sender: thisMachine, onProgress: () => {} } as const;
  const answer = await peers.forward(request, forwarding);
  return resultOf(answer.status, await answer.text());
}
