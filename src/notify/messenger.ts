/**
 * Tells people what they subscribed to. First a record says that a message is due (notices.ts); then it is sent, and
 * another record says so. A crash between the two has it sent again: a report that comes twice is better than
 * one that never comes, and both have the same id. What cannot be sent is tried again, less and less often.
 */
import type { Website } from "../accounts/registry/registry.ts";
import { isReport, recipientOf, type Recipient, type Subscription } from "../core/website/subscription.ts";
import type { Engine } from "../engine/engine.ts";
import { Periodic } from "../engine/upkeep/periodic.ts";
import type { Messages } from "../http/transport/messages.ts";
import { wordsOf } from "../core/words/translated-words.ts";
import { makeAlert } from "./alert.ts";
import { Attempts, errorText } from "./sending/attempts.ts";
import { Confirmations, type Ask, type Asked } from "./confirmations.ts";
import { Mailer, MailMayBeTaken, MailServerDown, noMail, type Mail } from "./sending/mail.ts";
import {
  alertMessage,
  confirmationMail,
  dashboardUrl,
  mailOf,
  reportMessage,
  type Message,
} from "./message.ts";
import { Notices } from "./noticing/notices.ts";
import { makeReport } from "./report.ts";
import type { NotifySettings } from "./settings.ts";
import { TestMessages, type Send } from "./test-message.ts";
import { isTooOld } from "./noticing/patience.ts";
import { webhookBody } from "./webhook-body.ts";
import { systemResolve } from "../lib/resolve.ts";
import { GivenTargets } from "./sending/given-targets.ts";
import { postWebhook, type WebhookOptions } from "./sending/webhook.ts";
import { Places, type Room } from "./sending/places.ts";
import { SendError, type Resolve } from "./sending/webhook-target.ts";

/** How often messages that wait are looked at. */
const lookMs = 5_000;
/** Mails go over one connection: mail servers count those, and the logins. */
const mailRoom: Room = { all: 1, ofOne: 1 };
const webhookRoom: Room = { all: 16, ofOne: 4 };
/** While the mail server could not be reached a moment ago, mails fail as the last one did: it is not asked for each. */
const mailDownMs = 30_000;
/** A message under way gets this long after the signal to stop. */
const finishMs = 2_000;
const stopped = new SendError("the server is stopping", false);
const waited = new SendError("it waited for too long", true);

export interface MessengerOptions {
  readonly engine: Engine;
  readonly settings: NotifySettings;
  /** Whether this server is the one that tells; of the nodes of a cluster, one is. */
  readonly isActive?: () => boolean;
  readonly resolve?: Resolve;
  /** Certificates to trust, in tests. */
  readonly ca?: string;
}

export class Messenger extends Periodic implements Messages {
  private readonly notices: Notices;
  private readonly confirmations: Confirmations;
  private readonly webhooks: WebhookOptions;
  readonly expectTarget: Messages["expectTarget"];
  private readonly attempts: Attempts;
  /** The `forMs` of messages that were taken, by website and subscription, until the log says so too. */
  private readonly taken = new Map<string, number>();
  private readonly mailPlaces: Places;
  private readonly webhookPlaces: Places;
  private readonly tests: TestMessages;
  /** It keeps its connection for the next mail, until a round finds that none waits. */
  private mailer: Mailer | undefined;
  private mailDown: { readonly error: MailServerDown; readonly untilMs: number } | undefined;
  private readonly stopping = Promise.withResolvers<never>();

  constructor(private readonly options: MessengerOptions) {
    super(lookMs);
    const { engine, settings, resolve = systemResolve, ca } = options;
    // Nobody waits for it most of the time.
    this.stopping.promise.catch(() => {});
    this.mailPlaces = new Places(mailRoom, engine.clock);
    this.webhookPlaces = new Places(webhookRoom, engine.clock);
    this.confirmations = new Confirmations(engine);
    this.attempts = new Attempts(engine);
    this.tests = new TestMessages(options, this.sendMessage);
    this.webhooks = { allowed: settings.webhookNetworks, resolve, ...(ca !== undefined && { ca }) };
    const given = new GivenTargets(this.webhooks);
    this.expectTarget = (url, userId) => given.expect(url, userId);
    this.notices = new Notices(
      engine,
      () => this.isActive,
      (error) => this.failed(error),
    );
  }

  /** Sends what is due now, and then what is noticed meanwhile. Never rejects. */
  async look(): Promise<void> {
    await Promise.all([this.round(), this.notices.round()]);
    await this.round();
    await this.idle();
  }

  /** Resolves when the messages under way are sent, which may take two seconds more. */
  override async stop(): Promise<void> {
    const timer = setTimeout(() => this.stopping.reject(stopped), finishMs);
    await Promise.all([super.stop(), this.notices.stop()]);
    await this.idle();
    clearTimeout(timer);
  }

  /** Resolves when nothing waits or is under way. */
  private async idle(): Promise<void> {
    await Promise.all([this.mailPlaces.idle(), this.webhookPlaces.idle()]);
    this.closeMailer();
  }

  private closeMailer(): void {
    this.mailer?.close();
    this.mailer = undefined;
  }

  test(website: Website, subscription: Subscription): Promise<void> {
    return this.tests.send(website, subscription);
  }

  protected failed(error: unknown): void {
    const text = "reports and alerts could not be looked at";
    this.options.engine.logger.error(text, { error: String(error) });
  }

  private get isActive(): boolean {
    const { isActive = () => true } = this.options;
    return !this.isStopped && isActive();
  }

  protected async work(): Promise<void> {
    if (this.mailPlaces.isIdle) this.closeMailer();
    const again: (() => void)[] = [];
    for (const website of [...this.options.engine.registry.websites.values()]) {
      if (website.subscriptions.list.length === 0) continue;
      if (!(await this.pause()) || !this.isActive) return;
      this.addCalls(website, again);
    }
    // They may take minutes once more: after a start, too, all else goes before them.
    for (const add of again) add();
  }

  /** Lets all that is due wait for its turn, but for what failed before: what adds that is pushed to `again`. */
  private addCalls({ websiteId, userId, recipients, subscriptions }: Website, again: (() => void)[]): void {
    const ask: Ask | undefined = this.options.settings.mail && ((...asked) => this.ask(...asked));
    for (const { address, confirmedMs } of recipients) {
      if (confirmedMs !== null) continue;
      const act = () => this.confirmations.look(websiteId, address, ask);
      const add = () => this.mailPlaces.add({ key: `${websiteId} ${address}`, userId, act });
      const own = subscriptions.list.filter(({ format, target }) => format === null && target === address);
      if (own.every(({ failed }) => failed === null)) add();
      else again.push(add);
    }
    for (const { id, due, format, failed } of subscriptions.list) {
      if (due === null) continue;
      const places = format === null ? this.mailPlaces : this.webhookPlaces;
      const act = () => this.deliverIfThere(websiteId, id);
      const add = () => places.add({ key: `${websiteId} ${id}`, userId, act });
      if (failed === null) add();
      else again.push(add);
    }
  }

  /** Sends what waits for a subscription as it is now, if it is still there. Never rejects. */
  private async deliverIfThere(websiteId: number, subscriptionId: number): Promise<void> {
    const website = this.options.engine.registry.websites.get(websiteId);
    const subscription = website?.subscriptions.list.find(({ id }) => id === subscriptionId);
    if (website === undefined || subscription === undefined) return;
    await this.deliver(website, subscription).catch((error: unknown) => this.failed(error));
  }

  /** Sends the message of a subscription if one waits. */
  private async deliver(website: Website, subscription: Subscription): Promise<void> {
    const { engine } = this.options;
    const { websiteId } = website;
    const { id: subscriptionId, due, kind, format, failed } = subscription;
    if (due === null || !this.isActive) return;
    const key = `${websiteId} ${subscriptionId}`;
    const isTaken = this.taken.get(key) === due.forMs;
    // A message waits for its own failures only, not for those of the one before.
    const attempted = `${key} ${due.forMs}`;
    if (!isTaken && !this.attempts.mayTry(attempted)) return;
    const record = { websiteId, subscriptionId, forMs: due.forMs };
    const error = isTaken
      ? undefined
      : await this.attempt(attempted, website, () => this.send(website, subscription));
    const timeMs = engine.nowMs();
    if (error === undefined) {
      this.taken.set(key, due.forMs);
      await engine.commit({ kind: "messageSent", timeMs, ...record });
      this.taken.delete(key);
      engine.logger.info("sent a message", { website: website.hostname, kind, by: format ?? "mail" });
      return;
    }
    const isLast = error.isFinal || isTooOld(subscription, timeMs);
    const text = errorText(error);
    if (isLast || failed?.error !== text)
      await engine.commit({ kind: "messageFailed", timeMs, ...record, error: text, isLast });
  }

  private async send(website: Website, subscription: Subscription): Promise<void> {
    if (isTooOld(subscription, this.options.engine.nowMs())) throw waited;
    // No figures are asked for a mail that cannot go.
    if (subscription.format === null) this.expectMailServer();
    const message = await this.messageOf(website, subscription);
    const id = `${website.websiteId}-${subscription.id}-${subscription.due?.forMs ?? 0}`;
    return this.sendMessage(website, subscription, message, id, (mail) => this.mail(mail));
  }

  private readonly sendMessage: Send = async (website, subscription, message, id, sendMail) => {
    const { engine, settings } = this.options;
    const { url } = settings;
    const recipient = recipientOf(website.recipients, subscription);
    if (recipient === undefined) {
      const link = url === undefined ? undefined : dashboardUrl(url, website, message);
      const body = webhookBody(subscription, website, message, id, link);
      const post = { ...body, secret: subscription.secret, id };
      return postWebhook(post, engine.nowMs(), this.webhooks);
    }
    const words = wordsOf(subscription.language);
    const content = mailOf(message, website, recipient, words, url ?? "");
    return sendMail({ ...content, to: recipient.address, id });
  };

  private async messageOf(website: Website, subscription: Subscription): Promise<Message> {
    const { engine } = this.options;
    const { kind, due, language } = subscription;
    const words = wordsOf(language);
    if (isReport(kind))
      return reportMessage(
        website,
        await makeReport(engine, website, { ...subscription, kind }, words),
        words,
      );
    const happening = due ?? { forMs: 0, noticedMs: 0, value: 0, expected: 0 };
    return alertMessage(subscription, happening, makeAlert(website, subscription, happening, words));
  }

  /** Asks the owner of an address, in the language of whoever subscribed it. */
  private async ask(website: Website, recipient: Recipient, token: string): Promise<Asked> {
    const { url = "" } = this.options.settings;
    const { address: to } = recipient;
    const key = `${website.websiteId} ${to}`;
    if (!this.isActive || !this.attempts.mayTry(key)) return "later";
    const own = website.subscriptions.list.find(({ target }) => target === to);
    const content = confirmationMail(website, recipient, token, wordsOf(own?.language ?? "en"), url);
    // A mail with another link is another mail: a mail program may drop one whose id it knows, and keep the link that is dead.
    const id = `${website.websiteId}-confirm-${Bun.hash(token).toString(36)}`;
    const error = await this.attempt(key, website, () => this.mail({ ...content, to, id }));
    if (error === undefined) return "taken";
    const mayBeTaken = error instanceof MailMayBeTaken;
    return { error: errorText(error), isFinal: error.isFinal, mayBeTaken };
  }

  private attempt(key: string, website: Website, act: () => Promise<void>): Promise<SendError | undefined> {
    return this.attempts.make(key, website, () => Promise.race([act(), this.stopping.promise]));
  }

  private async mail(mail: Mail): Promise<void> {
    const { settings, engine, ca } = this.options;
    if (settings.mail === undefined || settings.url === undefined) throw noMail;
    this.expectMailServer();
    this.mailer ??= new Mailer(settings.mail, settings.url, ca);
    try {
      await this.mailer.send(mail, engine.nowMs());
    } catch (error) {
      if (error instanceof MailServerDown)
        this.mailDown = { error, untilMs: engine.clock.monotonicMs() + mailDownMs };
      throw error;
    }
  }

  private expectMailServer(): void {
    const { clock } = this.options.engine;
    if (this.mailDown !== undefined && clock.monotonicMs() < this.mailDown.untilMs) throw this.mailDown.error;
  }
}
