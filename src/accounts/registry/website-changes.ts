/** How a record changes one website, where nothing but the website decides. */
import type { Outcome } from "../../core/outcome.ts";
import { noRules, type Rules } from "../../core/website/rules.ts";
import type { RecordOf } from "../../record/record.ts";
import type { Website } from "../account.ts";
import { withLink, withoutLink } from "../links.ts";
import {
  isOfNoOwner,
  withAccepted,
  withInvitation,
  withoutInvitation,
  withoutMember,
  withRole,
} from "../members.ts";
import { changedSubscriptions, type SubscriptionRecord } from "./subscriptions.ts";
import { changedLists, type ListRecord } from "./listed-changes.ts";

export type WebsiteRecord = RecordOf<
  | ListRecord["kind"]
  | SubscriptionRecord["kind"]
  | "websiteRules"
  | "linkAdded"
  | "linkRemoved"
  | "invitationAdded"
  | "invitationRemoved"
  | "invitationAccepted"
  | "memberChanged"
  | "memberRemoved"
  | "import"
>;

/** Returns the parts that change, or the outcome if nothing does. */
export function changesOf(
  website: Website,
  record: WebsiteRecord,
): Partial<Website> | Exclude<Outcome, "done"> {
  if ("madeBy" in record && isOfNoOwner(website, record)) return "missing";
  switch (record.kind) {
    case "websiteRules":
      return {
        rules: changedRules(website.rules, record),
        visits: record.visits ?? website.visits,
      };
    case "goalAdded":
    case "goalRemoved":
    case "noteAdded":
    case "noteChanged":
    case "noteRemoved":
    case "segmentAdded":
    case "segmentRemoved":
    case "funnelAdded":
    case "funnelRemoved":
      return changedLists(website, record);
    case "subscriptionAdded":
    case "subscriptionRemoved":
    case "confirmationSent":
    case "confirmationFailed":
    case "addressConfirmed":
    case "addressRemoved":
    case "messageDue":
    case "messageSent":
    case "messageFailed":
      return changedSubscriptions(website, record);
    case "linkAdded":
      return part("links", withLink(website.links, record));
    case "linkRemoved":
      return part("links", withoutLink(website.links, record));
    case "invitationAdded":
      return withInvitation(website, record);
    case "invitationRemoved":
      return withoutInvitation(website, record);
    case "invitationAccepted":
      return withAccepted(website, record);
    case "memberChanged":
      return withRole(website, record);
    case "memberRemoved":
      return withoutMember(website, record);
    case "import":
      return moveImport(website, record);
  }
}

function part<N extends keyof Website>(
  name: N,
  value: Website[N] | Exclude<Outcome, "done">,
): Partial<Website> | Exclude<Outcome, "done"> {
  return typeof value === "string" ? (value as Exclude<Outcome, "done">) : { [name]: value };
}

function moveImport(
  { imports }: Website,
  record: RecordOf<"import">,
): Partial<Website> | Exclude<Outcome, "done"> {
  const { file, fromPosition, position, digest, isPartial } = record;
  const before = imports.get(file);
  if (fromPosition !== (before?.position ?? 0)) return "misplaced";
  const visitBlocks = [...(before?.visitBlocks ?? []), ...(record.visitBlocks ?? [])];
  const imported = {
    position,
    digest,
    ...(isPartial && { isPartial }),
    ...(visitBlocks.length > 0 && { visitBlocks }),
  };
  return { imports: new Map(imports).set(file, imported) };
}

/** Returns `noRules` itself where nothing is left, so that equal states are saved alike. */
function changedRules(rules: Rules, record: RecordOf<"websiteRules">): Rules {
  const names = Object.keys(noRules) as (keyof Rules)[];
  const changed = Object.fromEntries(
    names.map((name) => [name, record[name] ?? rules[name]]),
  ) as unknown as Rules;
  const hasSome = Object.values(changed).some((rule) => (typeof rule === "boolean" ? rule : rule.length > 0));
  return hasSome ? changed : noRules;
}
