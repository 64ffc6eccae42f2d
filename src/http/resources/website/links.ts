/** The endpoints of a website's links: making and revoking them, and what whoever has one may know of the website. */
import { Type, type Static } from "@sinclair/typebox";
import { filterNames } from "../../../core/questions/dimension.ts";
import {
  frameAncestorsMax,
  linkFiltersMax,
  linkGrantMs,
  linkNameCharactersMax,
  linkOperandCharactersMax,
  linkOperandsMax,
  linksMax,
  type AskedFilter,
  type Link,
} from "../../../core/website/link.ts";
import { operators } from "../../../core/questions/operator.ts";
import { addLink, grantLink, removeLink } from "../../../engine/admin/website/links.ts";
import { grantHeader, linkHeader, requireLink } from "../../callers/reader.ts";
import type { Route } from "../../transport/route.ts";
import { named, orMissing, unixSecondsSchema, wordsSchema } from "../../parsing/schemas.ts";
import { originOfCall } from "../../callers/session.ts";
import { passwordSchema, unixSeconds } from "../user.ts";
import {
  displayOf,
  displaySchema,
  hostnameSchema,
  visitsSchema,
  websiteOf,
  websiteCall,
} from "../websites.ts";

const filtersSchema = Type.Array(
  named(
    "LinkFilter",
    Type.Object({
      name: wordsSchema(filterNames),
      operator: wordsSchema(operators.map(({ name }) => name)),
      operands: Type.Array(Type.String({ maxLength: linkOperandCharactersMax }), {
        minItems: 1,
        maxItems: linkOperandsMax,
        description: "One, or several for an operator that takes a list",
      }),
    }),
  ),
  {
    maxItems: linkFiltersMax,
    description:
      "Every question through the link gets them besides its own. Where the website has visits, a referrer or utm value is " +
      "that of the visit, with `by=visit` and without",
  },
);
const nameSchema = Type.String({ minLength: 1, maxLength: linkNameCharactersMax });
const ancestorsSchema = Type.Array(Type.String(), {
  maxItems: frameAncestorsMax,
  description: "The hosts whose pages may show the link in a frame, each perhaps with scheme and port",
});

const link = {
  id: Type.String({
    description: "The part of the address that the server sees: /share/{hostname}/{id}#{token}",
  }),
  name: nameSchema,
  public: Type.Boolean({ description: "Whether it opens without a token, by its name" }),
  password: Type.Boolean({ description: "Whether it needs a password" }),
  filters: filtersSchema,
  frame_ancestors: ancestorsSchema,
  dateCreated: unixSecondsSchema,
};
const linkSchema = named("Link", Type.Object(link));
const newLinkSchema = named(
  "MadeLink",
  Type.Object({
    ...link,
    token: Type.Optional(Type.String({ description: "Said only now. A public link has none" })),
  }),
);
const sharedSchema = named(
  "SharedWebsite",
  Type.Object({
    hostname: hostnameSchema,
    display_hostname: displaySchema,
    visits: visitsSchema,
    filters: filtersSchema,
  }),
);

function linkView(own: Link): Static<typeof linkSchema> {
  return {
    id: own.linkId,
    name: own.name,
    public: own.tokenHash === null,
    password: own.passwordHash !== null,
    filters: own.filters.map(filterView),
    frame_ancestors: [...own.frameAncestors],
    dateCreated: unixSeconds(own.createdMs),
  };
}

function filterView({ name, operator, operands }: AskedFilter) {
  return { name, operator, operands: [...operands] };
}

export const linksRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/website/:hostname/links",
    access: "session",
    scope: "admin",
    summary: "The links by which a website is shared",
    answer: Type.Array(linkSchema, { maxItems: linksMax }),
    errors: [400, 403, 404],
    handle: (call) => websiteOf(call, "owner").links.map(linkView),
  },
  {
    method: "POST",
    path: "/website/:hostname/links",
    access: "session",
    scope: "admin",
    summary: "Make a link: whoever has it reads the statistics",
    description:
      `A website has at most ${linksMax} links. The token is said once, and only its hash is kept. It is the fragment of the ` +
      "address, which no server sees. The name of a public link is its id: lower-case letters, digits and hyphens. A link with " +
      "frame_ancestors has no password, and one without is shown in no frame.",
    body: named(
      "NewLink",
      Type.Object({
        name: nameSchema,
        public: orMissing(Type.Boolean()),
        password: orMissing(passwordSchema),
        filters: orMissing(filtersSchema),
        frame_ancestors: orMissing(ancestorsSchema),
      }),
    ),
    status: 201,
    answer: newLinkSchema,
    errors: [400, 403, 404, 409],
    handle: async (call) => {
      const { link, token } = await addLink(websiteCall(call), await call.json());
      return { ...linkView(link), ...(token !== null && { token }) };
    },
  },
  {
    method: "DELETE",
    path: "/website/:hostname/links/:id",
    access: "session",
    scope: "admin",
    summary: "Revoke a link: it opens nothing any more",
    status: 204,
    errors: [400, 403, 404],
    handle: (call) => removeLink(websiteCall(call), call.params["id"] ?? ""),
  },
  {
    method: "GET",
    path: "/website/:hostname/shared",
    access: "reader",
    summary: "What whoever has a link may know of the website",
    answer: sharedSchema,
    errors: [400, 404],
    handle: ({ reader: { website, filters } }) => ({
      hostname: website.hostname,
      ...displayOf(website),
      visits: website.visits,
      filters: filters.map(filterView),
    }),
  },
  {
    method: "POST",
    path: "/website/:hostname/shared",
    access: "public",
    security: [{ link: [] }],
    summary: "Give the password of a link",
    description:
      `The header ${linkHeader} says which. The grant is sent in the header ${grantHeader} from then on, for ` +
      `${linkGrantMs / 3_600_000} hours. Wrong passwords are slowed down as those of logins are.`,
    body: named("LinkPassword", Type.Object({ password: Type.String() })),
    answer: named("LinkGrant", Type.Object({ grant: Type.String() })),
    errors: [400, 401, 403, 404],
    handle: async (call) => {
      const { engine, guard } = call.services;
      const find = () => requireLink(call);
      return { grant: await grantLink(engine, guard, find, await call.json(), originOfCall(call)) };
    },
  },
];
