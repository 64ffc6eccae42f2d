/** The endpoints of a website's notes on days. */
import { Type } from "@sinclair/typebox";
import { noteCharactersMax, notesMax } from "../../../core/website/note.ts";
import { addNote, changeNote } from "../../../engine/admin/website/notes.ts";
import type { SessionRoute } from "../../transport/route.ts";
import { named, orMissing } from "../../parsing/schemas.ts";
import { websiteCall, websiteOf } from "../websites.ts";
import { removalOf } from "./removal.ts";

const date = Type.String({ format: "date", description: "The day, such as 2026-01-31" });
const text = Type.String({ minLength: 1, maxLength: noteCharactersMax });
const noteSchema = named("Note", Type.Object({ id: Type.Integer({ minimum: 1 }), date, text }));

export const notesRoutes: readonly SessionRoute[] = [
  {
    method: "GET",
    path: "/website/:hostname/notes",
    access: "session",
    scope: "read",
    summary: "Notes on days, in the order in which they were added",
    answer: Type.Array(noteSchema, { maxItems: notesMax }),
    errors: [400, 404],
    handle: (call) => websiteOf(call, "viewer").notes.list,
  },
  {
    method: "POST",
    path: "/website/:hostname/notes",
    access: "session",
    scope: "admin",
    summary: "Add a note on a day",
    description: `A website has at most ${notesMax} notes. White space around the text is left out.`,
    body: named("NewNote", Type.Object({ date, text })),
    status: 201,
    answer: noteSchema,
    errors: [400, 403, 404],
    handle: async (call) => addNote(websiteCall(call), await call.json()),
  },
  {
    method: "PATCH",
    path: "/website/:hostname/notes/:id",
    access: "session",
    scope: "admin",
    summary: "Change a note; what is missing stays as it is",
    body: named("NoteChange", Type.Object({ date: orMissing(date), text: orMissing(text) })),
    answer: noteSchema,
    errors: [400, 403, 404],
    handle: async (call) => changeNote(websiteCall(call), call.params["id"] ?? "", await call.json()),
  },
  removalOf("notes", "Remove a note"),
];
