/** Finds the address and network that a hit comes from: for the rules of a website and for budgets, in memory only. */
import type { JudgedSender, Sender } from "../../collect/hit.ts";
import { Lru } from "../../lib/collections/lru.ts";
import { ownText } from "../../lib/texts/own-text.ts";
import { parseAddress, placeOf } from "../../core/addresses/address.ts";
import { clientAddress, isTrusted, type Networks } from "./client-address.ts";

/** The sender of a request, read when it is first asked for: unloads of known page views need none. */
export class RequestSender implements JudgedSender {
  private found: Sender | undefined;

  /**
   * `peerOf`: the other end of the connection; undefined for a Unix socket. `visitorOf`: whom Cloudflare says that it asks for;
   * null for a request that did not come by it.
   */
  constructor(
    private readonly peerOf: () => string | undefined,
    private readonly forwardedFor: string | null,
    private readonly visitorOf: () => string | null,
    private readonly trusted: Networks,
  ) {}

  get address(): string {
    return this.read().address;
  }

  get network(): string {
    return this.read().network;
  }

  get isUnnamedProxy(): boolean {
    return this.read().isUnnamedProxy;
  }

  get isPeerTrusted(): boolean {
    return isTrusted(this.peerOf(), this.trusted);
  }

  private read(): Sender {
    if (this.found !== undefined) return this.found;
    const sender = senderOf(this.peerOf(), this.forwardedFor, this.trusted);
    const visitor = this.visitorOf();
    const isHidden = visitor !== null && isAnother(visitor, sender.address, this.trusted);
    return (this.found = isHidden ? { ...sender, isUnnamedProxy: true } : sender);
  }
}

/**
 * Whether a CDN's visitor has another address than the one that a request seems to come from, which is the CDN's own then. Anybody
 * may say so, and nobody is believed to be that visitor. One who is `trusted` is a service that asks for somebody else.
 */
function isAnother(visitor: string, address: string, trusted: Networks): boolean {
  if (visitor === address) return false;
  const [said, own] = [parseAddress(visitor), parseAddress(address)];
  if (said === undefined || (said.value === own?.value && said.bits === own.bits)) return false;
  return !isTrusted(visitor, trusted);
}

/** `peer`: the other end of the connection; undefined for a Unix socket. */
export function senderOf(peer: string | undefined, forwardedFor: string | null, trusted: Networks): Sender {
  if (forwardedFor === null && peer !== undefined)
    return { address: peer, network: networkOf(peer), isUnnamedProxy: false };
  const key = forwardedFor ?? "";
  const known = knownBy(trusted).get(key);
  // Hardly ever do two proxies speak of the same client.
  if (known !== undefined && known.peer === peer) return known.sender;
  const sender = readSender(peer, forwardedFor, trusted);
  // A longer list is hardly ever sent twice.
  if (key.length <= keyCharactersMax) knownBy(trusted).set(key, { peer, sender });
  return sender;
}

interface KnownSender {
  readonly peer: string | undefined;
  readonly sender: Sender;
}

const sendersMax = 4_096;
const keyCharactersMax = 200;
/** By `X-Forwarded-For`. */
const known = new WeakMap<Networks, Lru<string, KnownSender>>();

/** Returns the latest senders: reading addresses takes longer than all else that their hits cost here. */
function knownBy(trusted: Networks): Lru<string, KnownSender> {
  return known.getOrInsertComputed(trusted, () => new Lru(sendersMax));
}

/** Returns the sender of a request that has the header, or no peer. */
function readSender(peer: string | undefined, forwardedFor: string | null, trusted: Networks): Sender {
  const isUnnamedProxy = peer !== undefined && !isTrusted(peer, trusted);
  const address = clientAddress(peer, forwardedFor, trusted);
  // Budgets remember it, and not the header that it is a part of.
  return { address, network: ownText(networkOf(address)), isUnnamedProxy };
}

/** The /24 of an IPv4 address, the /48 of an IPv6 one; what is no address is a network of its own. */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address.slice(0, address.lastIndexOf("."));
  const parsed = parseAddress(address);
  if (parsed === undefined) return address;
  return parsed.bits === 128 ? `${(parsed.value >> 80n).toString(16)}::` : networkOf(placeOf(address));
}
