/** The endpoints by which an account switches its second factor on and off. */
import { Type, type Static } from "@sinclair/typebox";
import {
  addSecondFactor,
  offerSecondFactor,
  removeSecondFactor,
  type GuardedCall,
} from "../../engine/admin/account/second-factor.ts";
import { qrCodeOf } from "../answers/qr-code.ts";
import { originOfCall, sendDevice } from "../callers/session.ts";
import { named } from "../parsing/schemas.ts";
import type { LoginCall, LoginRoute } from "../transport/route.ts";
import { userSchema, userView } from "./user.ts";

const current_password = Type.String();
const secret = Type.String({ pattern: "^[A-Z2-7]{32}$", description: "160 random bits in base32" });
const code = Type.String({ description: "Six digits, of 30 seconds, each code once" });

const offer = named(
  "SecondFactorOffer",
  Type.Object({
    secret,
    url: Type.String({ format: "uri", description: "The same for an app, as `otpauth://totp/…`" }),
    qr: Type.Object(
      { size: Type.Integer({ minimum: 21 }), path: Type.String() },
      { description: "The url as a QR code: the `d` of an SVG path in a square of `size`, with its border" },
    ),
  }),
);

export const secondFactorRoutes: readonly LoginRoute[] = [
  {
    method: "POST",
    path: "/user/second-factor/offer",
    access: "login",
    summary: "Make a secret for a second factor",
    description: "Nothing is switched on, and the secret is kept nowhere. Each call makes another one.",
    body: named("SecondFactorAsked", Type.Object({ current_password })),
    answer: offer,
    errors: [400, 403, 409],
    handle: async (call) => {
      const offered = await offerSecondFactor(guardedCall(call), await call.json());
      return offerView(offered, call);
    },
  },
  {
    method: "POST",
    path: "/user/second-factor",
    access: "login",
    summary: "Switch the second factor on, with the secret that was offered and a code of it",
    description:
      "From then on a login needs a code besides the password. All other sessions end; API tokens and links go on.",
    body: named("NewSecondFactor", Type.Object({ current_password, secret, code })),
    answer: userSchema,
    errors: [400, 403, 409],
    handle: changing(addSecondFactor),
  },
  {
    method: "POST",
    path: "/user/second-factor/remove",
    access: "login",
    summary: "Switch the second factor off",
    description: "After ten wrong codes in an hour 400 with Retry-After.",
    body: named("SecondFactorRemoval", Type.Object({ current_password, code })),
    answer: userSchema,
    errors: [400, 403, 409],
    handle: changing(removeSecondFactor),
  },
];

function guardedCall(call: LoginCall): GuardedCall {
  const { engine, guard } = call.services;
  return { engine, caller: call.login.caller, guarded: { guard, ...originOfCall(call) } };
}

/** Both end what browsers were known by: this one becomes known again. */
function changing(change: typeof addSecondFactor) {
  return async (call: LoginCall): Promise<Static<typeof userSchema>> => {
    const user = await change(guardedCall(call), await call.json());
    sendDevice(call, user, call.login.caller);
    return userView(user);
  };
}

/** An app shows the name of the account, and where it is, as far as a browser says so. */
async function offerView(secret: string, { login, request }: LoginCall): Promise<Static<typeof offer>> {
  const host = URL.parse(request.headers.get("origin") ?? "")?.host;
  const name = encodeURIComponent(login.user.username + (host ? `@${host}` : ""));
  const url = `otpauth://totp/Footfall:${name}?secret=${secret}&issuer=Footfall`;
  return { secret, url, qr: await qrCodeOf(url) };
}
