/**
 * Three machines on one: network namespaces, each with an address at which its clients reach it and another at which it
 * and the other machines reach each other. The second of them can be cut. Without the right to make them, all are this
 * machine, and nothing can be cut.
 */
import type { Machine } from "../support/nats.ts";

export interface ClusterMachine extends Machine {
  /** Cuts it off from the other machines, or joins it again. */
  setCut(isCut: boolean): void;
}

export interface Machines {
  readonly machines: readonly ClusterMachine[];
  remove(): void;
}

const local: ClusterMachine = {
  address: "127.0.0.1",
  clientAddress: "127.0.0.1",
  command: [],
  setCut: () => {
    throw new Error("the machines have no network of their own");
  },
};

export function localMachines(count: number): Machines {
  return { machines: Array.from({ length: count }, () => local), remove: () => {} };
}

function ip(words: string): void {
  const { exitCode, stderr } = Bun.spawnSync(["ip", ...words.split(" ")]);
  if (exitCode !== 0) throw new Error(`ip ${words}: ${stderr.toString()}`);
}

/** Makes the namespaces. Their names and networks are those of this process, so that two runs do not meet. */
export function makeMachines(count: number): Machines {
  const own = process.pid % 200;
  const [peers, clients] = [`10.${own + 20}.1`, `10.${own + 20}.2`];
  const hub = `ff${own}hub`;
  const names = Array.from({ length: count }, (_, index) => `ff${own}m${index + 1}`);
  const remove = () => {
    for (const name of [...names, hub]) Bun.spawnSync(["ip", "netns", "del", name]);
  };
  try {
    ip(`netns add ${hub}`);
    ip(`-n ${hub} link add bridge type bridge`);
    ip(`-n ${hub} link set bridge up`);
    const machines = names.map((name, index): ClusterMachine => {
      const host = index + 1;
      ip(`netns add ${name}`);
      ip(`-n ${name} link set lo up`);
      // They meet at a bridge of its own namespace: no filter and no route of this machine is between them.
      ip(`-n ${hub} link add to${host} type veth peer name peers netns ${name}`);
      ip(`-n ${hub} link set to${host} master bridge up`);
      ip(`-n ${name} addr add ${peers}.${host}/24 dev peers`);
      ip(`-n ${name} link set peers up`);
      ip(`link add ${name}c type veth peer name clients netns ${name}`);
      ip(`addr add ${clients}.${host * 4 + 1}/30 dev ${name}c`);
      ip(`link set ${name}c up`);
      ip(`-n ${name} addr add ${clients}.${host * 4 + 2}/30 dev clients`);
      ip(`-n ${name} link set clients up`);
      return {
        address: `${peers}.${host}`,
        clientAddress: `${clients}.${host * 4 + 2}`,
        command: ["ip", "netns", "exec", name],
        setCut: (isCut) => ip(`-n ${hub} link set to${host} ${isCut ? "down" : "up"}`),
      };
    });
    return { machines, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
