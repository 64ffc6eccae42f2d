/**
 * Asks the owners of new addresses, so that nobody can have strangers mailed: an address gets one such mail a day, a
 * website sends twenty, all websites of one first owner forty and the server two hundred. An address that has confirmed for
 * one website of a first owner is no stranger to the others: each may ask it once a day. What was sent for addresses that
 * were removed since is known in memory.
 */
import type { Website } from "../accounts/registry/registry.ts";
import { hashOf, newToken } from "../accounts/token.ts";
import { dayMs } from "../core/hit.ts";
import { isExpired, type Recipient } from "../core/website/subscription.ts";
import { removeAddress } from "../engine/admin/website/recipients.ts";
import type { Engine } from "../engine/engine.ts";
import { ClockWatch } from "../engine/upkeep/clock-watch.ts";
import { Lru } from "../lib/collections/lru.ts";
import { Seldom } from "../lib/seldom.ts";

const perWebsiteMax = 20;
const perOwnerMax = 40;
const perServerMax = 200;
const keysMax = 10_000;
/** Nobody is forgotten by a clock that was wrong for a moment: it has to have gone right for an hour. */
const trustedAfterMs = 3_600_000;
const sayEveryMs = 3_600_000;
const server = "server";
const tomorrow = "no more are asked today: it is asked tomorrow";

/**
 * Whether the mail was taken, is to be tried later, or why it was not taken. `isFinal`: the address is refused for good.
 * `mayBeTaken`: the mail may have come, so its link has to work, and no other one follows.
 */
export type Asked =
  "taken" | "later" | { readonly error: string; readonly isFinal: boolean; readonly mayBeTaken: boolean };
/** Sends the mail. */
export type Ask = (website: Website, recipient: Recipient, token: string) => Promise<Asked>;

export class Confirmations {
  /** The times of the latest mails, by address, website, first owner and for the server. */
  private readonly sent = new Lru<string, readonly number[]>(keysMax);
  /** A token, or the key of a website, stays the same until the log has it: a mail with it may have come before. */
  private readonly tokens = new Lru<string, string>(keysMax);
  /** When a mail was taken, by website and address, until the log says so too. */
  private readonly taken = new Map<string, number>();
  private readonly clock: ClockWatch;
  /** Each look finds what the one before found: one line an hour is enough. */
  private readonly errorLine: Seldom;

  constructor(private readonly engine: Engine) {
    this.clock = new ClockWatch(engine.clock);
    this.errorLine = new Seldom(engine.clock, sayEveryMs);
    this.noteLogged();
  }

  /**
   * Asks the owner of an address that was not asked yet, and forgets it if there was no answer. `ask`: undefined while no mail
   * can be sent. Never rejects: what cannot be stored now, or not while a cluster has nodes of two versions, waits for the next
   * look.
   */
  async look(websiteId: number, address: string, ask: Ask | undefined): Promise<void> {
    await this.lookNow(websiteId, address, ask).catch((error: unknown) => {
      if (!this.errorLine.isDue()) return;
      const website = this.engine.registry.websites.get(websiteId)?.hostname ?? "";
      this.engine.logger.error("new addresses could not be looked at", { website, error: String(error) });
    });
  }

  private async lookNow(websiteId: number, address: string, ask: Ask | undefined): Promise<void> {
    const website = this.engine.registry.websites.get(websiteId);
    const recipient = website?.recipients.find((each) => each.address === address);
    if (website === undefined || recipient === undefined || recipient.confirmedMs !== null) return;
    if (isExpired(recipient, this.engine.nowMs())) {
      const isTrusted = this.clock.agreedMs() >= trustedAfterMs;
      if (isTrusted) await removeAddress(this.engine, websiteId, address);
    } else if (recipient.askedMs === 0 && ask !== undefined) await this.askOne(website, recipient, ask);
  }

  private async askOne(asking: Website, recipient: Recipient, ask: Ask): Promise<void> {
    const { websiteId } = asking;
    const { address } = recipient;
    const key = `${websiteId} ${address}`;
    const known = this.engine.registry.websites.get(websiteId)?.leavingKey ?? "";
    const leavingKey = known || this.tokenFor(`website ${websiteId}`);
    const website = { ...asking, leavingKey };
    const takenMs = this.taken.get(key);
    if (takenMs === undefined && !this.mayAsk(website, address)) return this.noteFailure(websiteId, address);
    const token = this.tokenFor(key);
    const tokenHash = hashOf(token);
    const asked = takenMs === undefined ? await ask(website, { ...recipient, tokenHash }, token) : "taken";
    if (asked === "later") return;
    // A record of another time would count as another mail of that day.
    const timeMs = takenMs !== undefined && this.isRecent(takenMs) ? takenMs : this.engine.nowMs();
    if (asked !== "taken" && !asked.mayBeTaken) {
      // One that nobody has counts as one that was asked: it may be there tomorrow.
      if (asked.isFinal) this.note(website, address, timeMs);
      return this.noteFailure(websiteId, address, asked.error);
    }
    if (takenMs === undefined) this.note(website, address, timeMs);
    this.taken.set(key, timeMs);
    const record = { timeMs, websiteId, recipient: address, tokenHash };
    // Only the first record of a website has the key.
    await this.engine.commit({ kind: "confirmationSent", ...record, ...(known === "" && { leavingKey }) });
    this.taken.delete(key);
    this.tokens.delete(key);
    if (asked !== "taken") await this.noteFailure(websiteId, address, asked.error);
  }

  private tokenFor(key: string): string {
    const token = this.tokens.get(key) ?? newToken(this.engine.random);
    this.tokens.set(key, token);
    return token;
  }

  /**
   * Logs why an owner could not be asked, unless all that goes to the address says so already. Without an error it is the turn of
   * others, which is said where nothing else is.
   */
  private async noteFailure(websiteId: number, recipient: string, error?: string): Promise<void> {
    const { list = [] } = this.engine.registry.websites.get(websiteId)?.subscriptions ?? {};
    const own = list.filter(({ target, format }) => format === null && target === recipient);
    const isSaid = (said: string | undefined) =>
      said !== undefined && (error === undefined || said === error);
    if (own.every(({ failed }) => isSaid(failed?.error))) return;
    const record = { websiteId, recipient, error: error ?? tomorrow };
    await this.engine.commit({ kind: "confirmationFailed", ...record });
  }

  private mayAsk(website: Website, address: string): boolean {
    if (!this.mayAskNow(website, address)) return false;
    // Another node of a cluster may have asked, which sent until now.
    this.noteLogged();
    return this.mayAskNow(website, address);
  }

  private mayAskNow({ websiteId, userId }: Website, address: string): boolean {
    return (
      (this.recent(address).length === 0 ||
        (this.recent(`${websiteId} ${address}`).length === 0 && this.knows(userId, address))) &&
      this.recent(`website ${websiteId}`).length < perWebsiteMax &&
      this.recent(`owner ${userId}`).length < perOwnerMax &&
      this.recent(server).length < perServerMax
    );
  }

  /** Whether an address has confirmed for some website of a first owner. */
  private knows(ownerId: number, address: string): boolean {
    return this.engine.registry.websites
      .values()
      .some(
        ({ userId, recipients }) =>
          userId === ownerId &&
          recipients.some((each) => each.address === address && each.confirmedMs !== null),
      );
  }

  private note({ websiteId, userId }: Website, address: string, timeMs: number): void {
    for (const key of [address, `${websiteId} ${address}`, `website ${websiteId}`, `owner ${userId}`, server])
      this.sent.set(key, [...this.recent(key), timeMs].slice(-perServerMax));
  }

  private noteLogged(): void {
    for (const website of this.engine.registry.websites.values())
      for (const { address, askedMs } of website.recipients)
        if (this.isRecent(askedMs) && !this.recent(`${website.websiteId} ${address}`).includes(askedMs))
          this.note(website, address, askedMs);
  }

  private recent(key: string): readonly number[] {
    return (this.sent.get(key) ?? []).filter((timeMs) => this.isRecent(timeMs));
  }

  private isRecent(timeMs: number): boolean {
    return timeMs > this.engine.nowMs() - dayMs;
  }
}
