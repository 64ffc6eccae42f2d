/** Says in words how the reports and alerts of a website are doing. */
import type { Website } from "../../accounts/registry/registry.ts";
import { recipientOf, type Subscription } from "../../core/website/subscription.ts";

/** Returns kind, target and state of each. Of a webhook only the host is shown: its URL may hold a secret. */
export function subscriptionLines(website: Website): string[][] {
  return website.subscriptions.list.map((each) => [
    each.kind,
    each.format === null ? each.target : `${each.format} ${URL.parse(each.target)?.host ?? ""}`,
    stateOf(website, each),
  ]);
}

function stateOf({ recipients }: Website, subscription: Subscription): string {
  const { format, sentMs, due, failed } = subscription;
  if (format === null && recipientOf(recipients, subscription)?.confirmedMs === null)
    return failed === null ? "not confirmed" : `not confirmed: its owner could not be asked: ${failed.error}`;
  const sent = sentMs === 0 ? "never sent" : `last sent ${new Date(sentMs).toISOString()}`;
  const waits = due === null ? "" : ", one is waiting";
  return sent + waits + (failed === null ? "" : `, last error: ${failed.error}`);
}
