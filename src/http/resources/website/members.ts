/** The endpoints of a website's accounts and of invitations. */
import { Type } from "@sinclair/typebox";
import { accountsOf, roleOf } from "../../../accounts/members.ts";
import {
  invitationMs,
  invitationsMax,
  isOpen,
  membersMax,
  roles,
  type Invitation,
} from "../../../core/website/role.ts";
import {
  acceptInvitation,
  changeMember,
  invite,
  removeInvitation,
  removeMember,
} from "../../../engine/admin/website/members.ts";
import type { LoginRoute } from "../../transport/route.ts";
import { named, unixSecondsSchema, wordsSchema } from "../../parsing/schemas.ts";
import { unixSeconds, usernameSchema } from "../user.ts";
import { hostnameSchema, websiteCall, websiteOf } from "../websites.ts";

const roleSchema = wordsSchema(roles);
const memberSchema = named("Member", Type.Object({ username: usernameSchema, role: roleSchema }));
const invitation = { id: Type.String(), role: roleSchema, dateExpires: unixSecondsSchema };
const invitationSchema = named("Invitation", Type.Object(invitation));
const roleChange = named("RoleChange", Type.Object({ role: roleSchema }));
const days = invitationMs / 86_400_000;

function invitationView({ invitationId, role, createdMs }: Invitation) {
  return { id: invitationId, role, dateExpires: unixSeconds(createdMs + invitationMs) };
}

const memberRoutes: readonly LoginRoute[] = [
  {
    method: "GET",
    path: "/website/:hostname/members",
    access: "login",
    summary: "The accounts of a website, and the invitations that wait",
    answer: named(
      "Members",
      Type.Object({
        members: Type.Array(memberSchema, { maxItems: membersMax }),
        invitations: Type.Array(invitationSchema, { maxItems: invitationsMax }),
      }),
    ),
    errors: [400, 403, 404],
    handle: (call) => {
      const website = websiteOf(call, "owner");
      const { engine } = call.services;
      const nowMs = engine.nowMs();
      return {
        members: accountsOf(website).map(({ userId, role }) => ({
          username: engine.registry.users.get(userId)?.username,
          role,
        })),
        invitations: website.invitations.filter((own) => isOpen(own, nowMs)).map(invitationView),
      };
    },
  },
  {
    method: "PATCH",
    path: "/website/:hostname/members/:username",
    access: "login",
    summary: "Give an account of a website another role",
    description:
      "Whoever makes another account an owner may leave then. The last owner stays one: 409, as does the last account that owns a name together with its `www.` forms. " +
      "Nor does a website go from its first owner to one whose account has no room for it: 400.",
    body: roleChange,
    status: 204,
    errors: [400, 403, 404, 409],
    handle: async (call) => changeMember(websiteCall(call), usernameOf(call), await call.json()),
  },
  {
    method: "DELETE",
    path: "/website/:hostname/members/:username",
    access: "login",
    summary: "Take a website from an account, or leave it",
    status: 204,
    errors: [400, 403, 404, 409],
    handle: (call) => removeMember(websiteCall(call), usernameOf(call)),
  },
];

const invitationRoutes: readonly LoginRoute[] = [
  {
    method: "POST",
    path: "/website/:hostname/invitations",
    access: "login",
    summary: "Invite another account to a website",
    description:
      `The token is said once, and only its hash is kept. It works once, for ${days} days: ` +
      "/dashboard/invitation#{token} is the page that accepts it.",
    body: roleChange,
    status: 201,
    answer: named("NewInvitation", Type.Object({ ...invitation, token: Type.String() })),
    errors: [400, 403, 404],
    handle: async (call) => {
      const made = await invite(websiteCall(call), await call.json());
      return { ...invitationView(made.invitation), token: made.token };
    },
  },
  {
    method: "DELETE",
    path: "/website/:hostname/invitations/:id",
    access: "login",
    summary: "Revoke an invitation",
    status: 204,
    errors: [400, 403, 404],
    handle: (call) => removeInvitation(websiteCall(call), call.params["id"] ?? ""),
  },
  {
    method: "POST",
    path: "/invitations/accept",
    access: "login",
    summary: "Accept an invitation to a website",
    body: named("InvitationToken", Type.Object({ token: Type.String() })),
    answer: named("Membership", Type.Object({ hostname: hostnameSchema, role: roleSchema })),
    errors: [400, 403, 404, 409],
    handle: async (call) => {
      const website = await acceptInvitation(call.services.engine, call.login.caller, await call.json());
      return { hostname: website.hostname, role: roleOf(website, call.login.user.userId) };
    },
  },
];

export const membersRoutes: readonly LoginRoute[] = [...memberRoutes, ...invitationRoutes];

function usernameOf({ params }: Parameters<LoginRoute["handle"]>[0]): string {
  return params["username"] ?? "";
}
