/**
 * Visitors take a name and its `www.` forms for one website. So whoever is the first owner of one of them is an owner of all:
 * nobody gets the hits of what somebody else has. Who hands over two forms makes the other account an owner of both, and then
 * leaves one after the other.
 */
import type { RecordOf } from "../../record/record.ts";
import type { Website } from "../account.ts";
import type { Hostnames } from "./website-table.ts";
import { roleOf, withoutMember, withRole } from "../members.ts";

/** The records that take a website from an owner. */
export type OwnerRecord = RecordOf<"memberChanged" | "memberRemoved" | "userRemoved">;

/**
 * Returns forms of one name that would have no owner in common any more after a record; none if it parts nothing. What had
 * none before may change.
 */
export function partedBy(all: Hostnames, record: OwnerRecord): readonly Website[] {
  for (const website of all.rows.values()) {
    if (after(website, record) === website) continue;
    const forms = all.namedLike(website.hostname);
    const left = forms.map((form) => after(form, record)).filter((form) => form !== undefined);
    if (haveCommonOwner(forms) && !haveCommonOwner(left)) return left;
  }
  return [];
}

/** Returns the websites that another account becomes the first owner of by a record, as they are after it. */
export function passedOnBy(all: Hostnames, record: OwnerRecord): readonly Website[] {
  const passed = all.rows.values().map((website) => {
    const left = after(website, record);
    return left?.userId === website.userId ? undefined : left;
  });
  return [...passed].filter((website) => website !== undefined);
}

/** Returns a website after the record: itself where nothing changes, undefined if it goes. */
function after(website: Website, record: OwnerRecord): Website | undefined {
  if (record.kind !== "userRemoved" && website.websiteId !== record.websiteId) return website;
  const changes =
    record.kind === "memberChanged" ? withRole(website, record) : withoutMember(website, record);
  if (typeof changes !== "string") return { ...website, ...changes };
  return record.kind === "userRemoved" && changes === "needed" ? undefined : website;
}

function haveCommonOwner(forms: readonly Website[]): boolean {
  const isOwnerOfAll = ({ userId }: Website) => forms.every((form) => roleOf(form, userId) === "owner");
  return forms.length === 0 || forms.some(isOwnerOfAll);
}
