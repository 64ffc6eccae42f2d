/** How a record changes one website, where nothing but the website decides. */
import { funnelsMax } from "../../core/website/funnel.ts";
import { goalsMax, type Target } from "../../core/website/goal.ts";
import { notesMax } from "../../core/website/note.ts";
import { noRules, type Rules } from "../../core/website/rules.ts";
import { segmentsMax } from "../../core/website/segment.ts";
import type { RecordOf } from "../../record/record.ts";
import type { Changes, Unchanged, Website } from "../account.ts";
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
import { added, changed, removed } from "./listed-changes.ts";

export type WebsiteRecord = RecordOf<
  | SubscriptionRecord["kind"]
  | "websiteRules"
  | "goalAdded"
  | "goalRemoved"
  | "noteAdded"
  | "noteChanged"
  | "noteRemoved"
  | "segmentAdded"
  | "segmentRemoved"
  | "funnelAdded"
  | "funnelRemoved"
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
export function changesOf(website: Website, record: WebsiteRecord): Changes {
  if ("madeBy" in record && isOfNoOwner(website, record)) return "missing";
  switch (record.kind) {
    case "websiteRules":
      return {
        rules: changedRules(website.rules, record),
        visits: record.visits ?? website.visits,
      };
    case "goalAdded": {
      const { goalId: id, name } = record;
      return as("goals", added(website.goals, { id, name, target: targetOf(record) }, goalsMax));
    }
    case "goalRemoved":
      return as("goals", removed(website.goals, record.goalId));
    case "noteAdded": {
      const { noteId: id, date, text } = record;
      return as("notes", added(website.notes, { id, date, text }, notesMax));
    }
    case "noteChanged": {
      const { noteId, date, text } = record;
      const changes = { ...(date !== null && { date }), ...(text !== null && { text }) };
      return as("notes", changed(website.notes, noteId, changes));
    }
    case "noteRemoved":
      return as("notes", removed(website.notes, record.noteId));
    case "segmentAdded": {
      const { segmentId: id, name, filters } = record;
      return as("segments", added(website.segments, { id, name, filters }, segmentsMax));
    }
    case "segmentRemoved":
      return as("segments", removed(website.segments, record.segmentId));
    case "funnelAdded": {
      const { funnelId: id, name, steps } = record;
      return as("funnels", added(website.funnels, { id, name, steps }, funnelsMax));
    }
    case "funnelRemoved":
      return as("funnels", removed(website.funnels, record.funnelId));
    case "linkAdded":
      return withLink(website, record);
    case "linkRemoved":
      return withoutLink(website, record);
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
    default:
      return changedSubscriptions(website, record);
  }
}

function targetOf({ page, propName, propValue, amount }: RecordOf<"goalAdded">): Target {
  return propName === null ? { page } : { event: { propName, propValue, amount } };
}

function as<N extends "goals" | "notes" | "segments" | "funnels">(
  name: N,
  list: Website[N] | Unchanged,
): Changes {
  return typeof list === "string" ? list : { [name]: list };
}

function moveImport({ imports }: Website, record: RecordOf<"import">): Changes {
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
