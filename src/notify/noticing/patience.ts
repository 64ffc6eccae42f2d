/** How long a message may wait: after that it is old news, and is not sent. */
import { dayMs } from "../../core/hit.ts";
import { isReport, type Subscription } from "../../core/website/subscription.ts";

/** For a report. */
export const reportPatienceMs = 3 * dayMs;
const alertPatienceMs = dayMs;

/** Whether the message of a subscription has waited for too long. One that a wrong clock noticed long ahead is as old. */
export function isTooOld({ kind, due }: Subscription, nowMs: number): boolean {
  const patienceMs = isReport(kind) ? reportPatienceMs : alertPatienceMs;
  return due !== null && Math.abs(nowMs - due.noticedMs) >= patienceMs;
}
