/**
 * Finds the addresses of names in the event loop, by c-ares. The system's own look-up (getaddrinfo) waits in a thread of the
 * runtime, of which there are as many as cores: names whose servers do not answer would keep all that is packed or loaded
 * waiting. c-ares knows the file of hosts and the name servers of the system, and no other module of nsswitch.conf. Only names
 * of `localhost` go the system's way in this runtime, which asks nobody about them.
 */
import { readFileSync } from "node:fs";

const serversFile = "/etc/resolv.conf";

/** Returns a function that finds the addresses of a name. It rejects, after about half a minute without an answer. */
export const systemResolve = resolverOf(serversFile);

/**
 * c-ares reads the name servers once. Where the file names others since, as after a start without a network, those are asked.
 * Exported for tests.
 */
export function resolverOf(file: string): (hostname: string) => Promise<readonly string[]> {
  let text = textOf(file);
  return async (hostname) => {
    const now = textOf(file);
    if (now !== text) await askOthers(now);
    text = now;
    const found = await Bun.dns.lookup(hostname, { backend: "c-ares" });
    return found.map(({ address }) => address);
  };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

async function askOthers(text: string): Promise<void> {
  const [{ setServers }, { isIP }] = await Promise.all([import("node:dns"), import("node:net")]);
  const named = text.matchAll(/^\s*nameserver\s+(\S+)/gm);
  const servers = [...named]
    .map(([, server = ""]) => server)
    .filter((server) => isIP(server) > 0 && !server.includes("%"));
  if (servers.length > 0) setServers(servers);
}
