/** The use cases of a website's notes on days: add, change and remove. */
import { dayOfDate } from "../../../core/calendar/date.ts";
import { noteCharactersMax, type Note } from "../../../core/website/note.ts";
import { badInput } from "../../../core/refusal.ts";
import type { WebsiteCall } from "../caller.ts";
import { fieldsOf, limitedText, optionalText, requiredText } from "../fields.ts";
import { expectRoom } from "./room-of-account.ts";
import { addListed, commitListed } from "./listed-entries.ts";
import { websiteToChange } from "../websites.ts";

/** Adds a note. Takes `{date, text}`. Throws Refusal 400, also for one too many, 403, 404. */
export async function addNote(call: WebsiteCall, body: unknown): Promise<Note> {
  const { websiteId } = websiteToChange(call, "editor");
  const fields = fieldsOf(body);
  const note = { date: dayOf(requiredText(fields, "date")), text: textOf(requiredText(fields, "text")) };
  return addListed(call, websiteId, "notes", (noteId) => ({
    kind: "noteAdded",
    websiteId,
    noteId,
    ...note,
  }));
}

/**
 * Changes a note. Takes `{date?, text?}`; what is missing stays as it is. `id`: as it stands in the path. Throws Refusal
 * 400, 403, 404.
 */
export async function changeNote(call: WebsiteCall, id: string, body: unknown): Promise<Note> {
  const { engine } = call;
  const website = websiteToChange(call, "editor");
  const fields = fieldsOf(body);
  const [date, text] = [optionalText(fields, "date"), optionalText(fields, "text")];
  const { websiteId } = website;
  const note = await commitListed(engine, website, { list: "notes", what: "note", id }, (old) => {
    const changes = {
      date: date === undefined ? null : dayOf(date),
      text: text === undefined ? null : textOf(text),
    };
    expectRoom(engine, websiteId, { ...old, text: changes.text ?? old.text }, old);
    return { kind: "noteChanged", websiteId, noteId: old.id, ...changes };
  });
  const { list = [] } = engine.registry.websites.get(websiteId)?.notes ?? {};
  return list.find((changed) => changed.id === note.id) ?? note;
}

function dayOf(text: string): string {
  if ((dayOfDate(text) ?? -1) < 0) throw badInput("date", text, "a day like 2026-01-31");
  return text;
}

function textOf(text: string): string {
  return limitedText("text", text.trim(), noteCharactersMax);
}
