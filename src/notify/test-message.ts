/**
 * Sends the message by which somebody tries whether reports and alerts arrive: of a report, that of the last week or month
 * that is over; of an alert, one that says only that somebody asked for it.
 */
import type { Website } from "../accounts/registry/registry.ts";
import { Refusal } from "../core/refusal.ts";
import { isReport, recipientOf, type Subscription } from "../core/website/subscription.ts";
import type { Engine } from "../engine/engine.ts";
import { displayHostname } from "../core/addresses/display-hostname.ts";
import { wordsOf } from "../core/words/translated-words.ts";
import { sendErrorOf } from "./sending/attempts.ts";
import { Places, type Room } from "./sending/places.ts";
import { Mailer, noMail, type Mail, type Patience } from "./sending/mail.ts";
import { paragraphHtml } from "./mail-frame.ts";
import { reportMessage, type Message } from "./message.ts";
import { makeReport } from "./report.ts";
import type { NotifySettings } from "./settings.ts";

const everyMs = 60_000;
/** An owner of websites sends so many a minute: an entry is easily removed and added again. */
const testsMax = 10;
/** Mail servers count connections, and some take three at once: one is for what is no test. */
const mailRoom: Room = { all: 2, ofOne: 1 };
/** Somebody waits for the answer, and a test is not sent again. */
const patience: Patience = { askMs: 60_000, takeMs: 60_000 };

export type Send = (
  website: Website,
  subscription: Subscription,
  message: Message,
  id: string,
  sendMail: (mail: Mail) => Promise<void>,
) => Promise<void>;

export class TestMessages {
  /** The tests of the last minute: the subscription, its owner, and when. */
  private tested: readonly { readonly key: string; readonly userId: number; readonly ms: number }[] = [];

  private readonly places: Places;

  constructor(
    private readonly options: {
      readonly engine: Engine;
      readonly settings: NotifySettings;
      readonly ca?: string;
    },
    private readonly sendMessage: Send,
  ) {
    this.places = new Places(mailRoom, options.engine.clock);
  }

  /** Throws Refusal 400 with what went wrong. */
  async send(website: Website, subscription: Subscription): Promise<void> {
    const { engine } = this.options;
    const { websiteId, userId } = website;
    const key = `${websiteId} ${subscription.id}`;
    const nowMs = engine.clock.monotonicMs();
    this.tested = this.tested.filter(({ ms }) => nowMs - ms < everyMs);
    const own = this.tested.filter((test) => test.userId === userId);
    if (own.length >= testsMax || own.some((test) => test.key === key))
      throw new Refusal(400, "a test message was sent a moment ago: try again in a minute");
    if (recipientOf(website.recipients, subscription)?.confirmedMs === null)
      throw new Refusal(400, whyUnconfirmed(subscription));
    this.tested = [...this.tested, { key, userId, ms: nowMs }];
    const id = `${websiteId}-${subscription.id}-test-${engine.nowMs()}`;
    try {
      const message = await testMessage(engine, website, subscription);
      await this.sendMessage(website, subscription, message, id, (mail) => {
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        const act = () => this.sendMail(mail).then(resolve, reject);
        this.places.add({ key: id, userId, act });
        return promise;
      });
    } catch (error) {
      throw new Refusal(400, sendErrorOf(error).message);
    }
  }

  private async sendMail(mail: Mail): Promise<void> {
    const { engine, settings, ca } = this.options;
    if (settings.mail === undefined || settings.url === undefined) throw noMail;
    const mailer = new Mailer(settings.mail, settings.url, ca, patience);
    await mailer.send(mail, engine.nowMs()).finally(() => mailer.close());
  }
}

function whyUnconfirmed({ failed }: Subscription): string {
  if (failed === null) return "email: its owner has not confirmed it yet";
  return `email: its owner could not be asked to confirm it: ${JSON.stringify(failed.error)}`;
}

/** Throws Refusal while the figures of a report cannot be had. */
async function testMessage(engine: Engine, website: Website, subscription: Subscription): Promise<Message> {
  const { kind, language } = subscription;
  const words = wordsOf(language);
  const { t } = words;
  if (isReport(kind)) {
    // One that is due waits for itself, and may be about an earlier time.
    const report = await makeReport(engine, website, { ...subscription, kind, due: null }, words);
    const { subject, title, values, ...message } = reportMessage(website, report, words);
    const marked = (text: string) => t("Test: {text}", { text });
    return {
      ...message,
      subject: marked(subject),
      title: marked(title),
      values: { ...values, test: true },
    };
  }
  const title = t("{hostname}: a test message", { hostname: displayHostname(website.hostname) });
  const text = t("Somebody asked for it. Alerts about this website arrive in the same way.");
  const values = { type: "test", kind, title, text };
  return { subject: title, title, subtitle: "", text, html: paragraphHtml(text), query: "", values };
}
