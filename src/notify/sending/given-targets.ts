/** Judges webhooks as they are given: their names are looked up, a few at once for each account. */
import { Refusal } from "../../core/refusal.ts";
import { UnderWay } from "../../http/transport/under-way.ts";
import { SendError, targetOf } from "./webhook-target.ts";
import type { WebhookOptions } from "./webhook.ts";

const waitMs = 2_000;
/** A look-up goes on after nobody waits for it: for about half a minute where no name server answers. */
const lookUpsMax = 4;

export class GivenTargets {
  private readonly lookUps = new UnderWay(lookUpsMax, () => new Error("too many names are looked up"));

  constructor(private readonly options: Pick<WebhookOptions, "allowed" | "resolve">) {}

  /**
   * Throws Refusal 400 for a webhook to which nothing would be sent. A name that takes long, or comes while four others of the
   * account are looked up, is judged when it is used.
   */
  async expect(url: URL, userId: number): Promise<void> {
    const resolve = (hostname: string) => this.resolve(hostname, userId);
    const judged = targetOf(url, this.options.allowed, resolve).catch((error: unknown) => error);
    const error = await Promise.race([judged, Bun.sleep(waitMs)]);
    if (error instanceof SendError && error.isFinal) throw new Refusal(400, `webhook.url: ${error.message}`);
  }

  private async resolve(hostname: string, userId: number): Promise<readonly string[]> {
    const end = this.lookUps.begin(userId);
    return await this.options.resolve(hostname).finally(end);
  }
}
