/** The endpoints of a website's saved funnels: steps that were saved under a name. */
import { Type } from "@sinclair/typebox";
import {
  funnelNameCharactersMax,
  funnelsMax,
  funnelStepsCharactersMax,
} from "../../../core/website/funnel.ts";
import { addFunnel } from "../../../engine/admin/website/funnels.ts";
import type { ReaderCall, ReaderRoute, SessionRoute } from "../../transport/route.ts";
import { named } from "../../parsing/schemas.ts";
import { shownFunnels, stepForms, stepsOf, stepsSchema } from "../statistics/funnel-steps.ts";
import { websiteCall } from "../websites.ts";
import { removalOf } from "./removal.ts";

const name = Type.String({ minLength: 1, maxLength: funnelNameCharactersMax });
const steps = { ...stepsSchema, description: `As \`step\` of the funnel has them: ${stepForms}` };
const funnelSchema = named("Funnel", Type.Object({ id: Type.Integer({ minimum: 1 }), name, steps }));

export const funnelsRoutes: readonly (ReaderRoute | SessionRoute)[] = [
  {
    method: "GET",
    path: "/website/:hostname/funnels",
    access: "reader",
    summary: "Saved funnels, in the order in which they were added",
    description:
      "A link with filters shows none. A step may name a goal that was removed since: then the funnel is still here, and the " +
      "question about it is a 400 that names the step.",
    answer: Type.Array(funnelSchema, { maxItems: funnelsMax }),
    errors: [400, 404],
    handle: (call: ReaderCall) => shownFunnels(call.reader),
  },
  {
    method: "POST",
    path: "/website/:hostname/funnels",
    access: "session",
    scope: "admin",
    summary: "Save the steps of a funnel under a name",
    description:
      `A website has at most ${funnelsMax} saved funnels. Steps are checked as \`funnel\` does, and are at most ` +
      `${funnelStepsCharactersMax} characters in an address. 400 for a website without visits.`,
    body: named("NewFunnel", Type.Object({ name, steps })),
    status: 201,
    answer: funnelSchema,
    errors: [400, 403, 404],
    handle: async (call) => addFunnel(websiteCall(call), await call.json(), stepsOf),
  },
  removalOf("funnels", "Remove a saved funnel; nothing else changes"),
];
