/** The part of reports and alerts that requests need at once: how they are sent is not known here. */
import type { Website } from "../../accounts/registry/registry.ts";
import type { Subscription } from "../../core/website/subscription.ts";

export interface Messages {
  /** Throws Refusal 400 for a webhook to which nothing would be sent. `userId`: the account that gives it. */
  expectTarget(url: URL, userId: number): Promise<void>;
  /** Sends a message that says that it is a test: of a report, the last one; once a minute. Throws Refusal 400 with what went wrong. */
  test(website: Website, subscription: Subscription): Promise<void>;
}
