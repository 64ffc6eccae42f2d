/**
 * Visitors take a name and its `www.` forms for one website. So whoever is the first owner of one of them is an owner of all:
 * nobody gets the hits of what somebody else has. That is asked before a change is logged, and never in a replay. Who hands
 * over two forms makes the other account an owner of both, and then leaves one after the other.
 */
import { roleOf } from "../../accounts/members.ts";
import type { Website } from "../../accounts/registry.ts";
import { wwwForms } from "../../core/addresses/hostname.ts";
import { Refusal, shown, type RefusalCode } from "../../core/refusal.ts";
import type { Engine } from "../engine.ts";

/**
 * Refuses to change the owners of websites where the forms of a name would have no owner in common any more. `after`
 * returns what becomes of a website; undefined if it goes. What had none before may change. Throws Refusal.
 */
export function expectCommonOwner(
  { registry }: Engine,
  changing: readonly Website[],
  after: (website: Website) => Website | undefined,
  code: RefusalCode = 409,
): void {
  for (const { hostname } of changing) {
    const forms = wwwForms(hostname)
      .map((form) => registry.websiteByHost(form))
      .filter((form) => form !== undefined);
    const left = forms.map(after).filter((form) => form !== undefined);
    if (!haveCommonOwner(forms) || haveCommonOwner(left)) continue;
    const [one, other] = left.map((form) => shown(form.hostname));
    throw new Refusal(
      code,
      `hostname: ${one} and ${other} are one website to visitors: first make an account that stays an owner of both, or remove one of them`,
    );
  }
}

function haveCommonOwner(forms: readonly Website[]): boolean {
  const isOwnerOfAll = ({ userId }: Website) => forms.every((form) => roleOf(form, userId) === "owner");
  return forms.length === 0 || forms.some(isOwnerOfAll);
}
