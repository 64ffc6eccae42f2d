/**
 * Chooses the node that answers a request, where there are several: what changes something is answered by the one that
 * sequences, and everything else here. A single machine answers everything itself.
 */
import type { Peers } from "../../cluster/forwarding/peers.ts";
import { unknownMs } from "../../core/node-times.ts";
import { Refusal } from "../../core/refusal.ts";
import type { HitAnswer } from "../../engine/intake/hit-intake.ts";
import { Forwarded } from "../transport/forwarded-response.ts";
import type { Route, VisitorCall } from "../transport/route.ts";
import { answerTimeoutS, changeTimeoutS, forwardedTimeoutS, idleTimeoutS } from "../transport/silence.ts";

/** A node that is further behind is not ready: a load balancer asks the others. */
export const behindMsMax = 5_000;

/**
 * Returns the answer, or a promise of it. `here` makes the answer on this node, and may be called twice. What another node
 * forwarded is counted there.
 */
export function answerInCluster(route: Route, call: VisitorCall, here: () => unknown): unknown {
  const { services, request } = call;
  const { cluster, metrics } = services;
  if (services.isForwarded(request)) return here();
  // Hits do without the signal, which costs as much as all else here.
  const signal = route.access === "visitor" ? undefined : request.signal;
  if (cluster === undefined) return metrics.measured(route, here, signal);
  const isForOther = !cluster.node.isSequencer && isBySequencer(route);
  const answer = () => (isForOther ? forwarded(route, call) : withOwnWrites(cluster, request, here));
  return metrics.measured(route, answer, signal);
}

function isBySequencer({ method, bySequencer }: Route): boolean {
  return method !== "GET" || bySequencer === true;
}

function isHit(route: Route): boolean {
  return route.access === "visitor" && route.isHit === true;
}

async function forwarded(
  route: Route,
  { services, request }: VisitorCall,
): Promise<Forwarded | HitAnswer | undefined> {
  const { cluster, senderOf, allowSilence } = services;
  const { address, network, isUnnamedProxy, isPeerTrusted } = senderOf(request);
  // Some changes take minutes, and the other node says nothing meanwhile.
  const onProgress = () => allowSilence(request, isHit(route) ? answerTimeoutS : changeTimeoutS);
  try {
    const sender = { address, network, isUnnamedProxy, isPeerTrusted };
    const silenceMs = forwardedTimeoutS * 1_000;
    const forwarding = { target: "api", sender, onProgress, silenceMs } as const;
    const answer = await (isHit(route)
      ? cluster?.forwardHit(request, forwarding)
      : cluster?.forward(request, forwarding));
    return answer instanceof Response ? new Forwarded(answer) : answer;
  } finally {
    allowSilence(request, idleTimeoutS);
  }
}

/** While a node is behind, it does not say that what it lacks is not there. */
async function withOwnWrites(cluster: Peers, request: Request, here: () => unknown): Promise<unknown> {
  if (cluster.node.isSequencer) return here();
  try {
    return await onceCaughtUp(cluster, here);
  } catch (error) {
    throw (mayBeElsewhere(error, request) && refusalIfBehind(cluster)) || error;
  }
}

/** Lets a client that another node just let in, or that made a website there, find both here too. */
async function onceCaughtUp(cluster: Peers, here: () => unknown): Promise<unknown> {
  const { appliedSeq } = cluster.node;
  try {
    return await here();
  } catch (error) {
    if (!isUnknown(error)) throw error;
    await cluster.catchUp();
    if (cluster.node.appliedSeq === appliedSeq) throw error;
    return here();
  }
}

/** Returns the refusal of what a node that is behind does not know; undefined if it is not. */
export function refusalIfBehind({ node: { behindMs } }: Peers): Refusal | undefined {
  if (behindMs <= behindMsMax) return undefined;
  const since = behindMs === unknownMs ? "since its start" : `for ${Math.round(behindMs / 1_000)} s`;
  return new Refusal(500, `this node has not known ${since} that it has everything`, 5);
}

function isUnknown(error: unknown): error is Refusal {
  return error instanceof Refusal && (error.code === 401 || error.code === 404);
}

/** Returns whether other nodes may know what a request names. One without a cookie and a token has no session anywhere. */
function mayBeElsewhere(error: unknown, { headers }: Request): boolean {
  return isUnknown(error) && (error.code === 404 || headers.has("cookie") || headers.has("authorization"));
}
