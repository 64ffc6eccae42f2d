/**
 * Decides where a webhook may connect to. A name is resolved once, every address that it has is judged, and the connection
 * goes to one of those addresses: whoever answers a second question otherwise (DNS rebinding) is never asked. The server
 * must not become a way into the networks around it.
 */
import { parseAddress, type Address } from "../../core/addresses/address.ts";
import { isIn, parseNetwork, type Network } from "../../core/addresses/network.ts";

/** Finds the addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** An attempt that failed. `isFinal`: another one would fail too. */
export class SendError extends Error {
  override name = "SendError";

  constructor(
    message: string,
    readonly isFinal: boolean,
  ) {
    super(message);
  }
}

/** IPv4 addresses that are none of the internet: IANA's special-purpose registry, multicast and reserved. */
const specialIpv4 = networks(
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24",
  "192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4",
);
/** All of the internet. Outside are also the IPv6 forms of IPv4 addresses (`::ffff:`, `64:ff9b::`). */
const globalIpv6 = networks("2000::/3");
/** Within it: those of documents and tests, and tunnels that hold an IPv4 address (Teredo, 6to4). */
const specialIpv6 = networks("2001::/23 2001:db8::/32 2002::/16 3fff::/20");

function networks(...lists: readonly string[]): readonly Network[] {
  return lists.flatMap((list) => list.split(" ")).map((text) => parseNetwork(text) as Network);
}

function isOneOf(address: Address, list: readonly Network[]): boolean {
  return list.some((network) => isIn(network, address));
}

/** Exported for tests. */
export function isPublic(address: Address): boolean {
  return address.bits === 32
    ? !isOneOf(address, specialIpv4)
    : isOneOf(address, globalIpv6) && !isOneOf(address, specialIpv6);
}

export interface Target {
  /** The address to connect to. */
  readonly address: string;
  readonly port: number;
  /** The name whose certificate is expected; undefined without TLS, "" for an address. */
  readonly tlsName: string | undefined;
}

/** Throws SendError. `allowed`: networks that the server's owner lets webhooks reach, also without TLS. */
export async function targetOf(url: URL, allowed: readonly Network[], resolve: Resolve): Promise<Target> {
  const isTls = url.protocol === "https:";
  // A name need not be known for that.
  if (!isTls && allowed.length === 0) throw withoutTls();
  const hostname = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const isLiteral = parseAddress(hostname) !== undefined;
  const addresses = isLiteral ? [hostname] : await resolved(hostname, resolve);
  const parsed = addresses.map((text) => parseAddress(text));
  const isAllowed = parsed.every((address) => address !== undefined && isOneOf(address, allowed));
  const isFine = parsed.every(
    (address) => address !== undefined && (isPublic(address) || isOneOf(address, allowed)),
  );
  const [address] = addresses;
  if (address === undefined) throw new SendError("its name has no address", false);
  if (!isFine)
    throw new SendError(
      "it has an address of a private network: the server's owner can allow that by FOOTFALL_WEBHOOK_NETWORKS",
      true,
    );
  if (!isTls && !isAllowed) throw withoutTls();
  const port = Number(url.port || (isTls ? 443 : 80));
  return { address, port, tlsName: isTls ? (isLiteral ? "" : hostname) : undefined };
}

function withoutTls(): SendError {
  return new SendError("it has to begin with https://", true);
}

async function resolved(hostname: string, resolve: Resolve): Promise<readonly string[]> {
  try {
    return await resolve(hostname);
  } catch {
    throw new SendError("its name cannot be resolved", false);
  }
}
