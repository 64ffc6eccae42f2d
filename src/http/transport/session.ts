/** The login cookie, and who a request comes from by it. */
import type { Cookie } from "elysia";
import { sessionLifetimeMs } from "../../accounts/account.ts";
import { Refusal } from "../../core/refusal.ts";
import { authenticate, renewSession, type Authenticated, type Caller } from "../../engine/admin/admin.ts";
import type { Call, SessionCall } from "./route.ts";

export const sessionCookie = "_me_sess";
const attributes = { path: "/", httpOnly: true, sameSite: "lax", secure: true } as const;

export function sendSession(cookie: Cookie<unknown>, token: string): void {
  cookie.set({ ...attributes, value: token, maxAge: sessionLifetimeMs / 1_000 });
}

export function forgetSession(cookie: Cookie<unknown>): void {
  cookie.set({ ...attributes, value: "", maxAge: 0 });
}

/** Renews the session and its cookie when it is time. Refusal 401: a bad cookie is no session. */
export async function requireSession({ services: { engine }, cookie }: Call): Promise<Authenticated> {
  // What looks like JSON in a cookie arrives parsed, what is badly encoded as null.
  const token = typeof cookie.value === "string" ? cookie.value : "";
  const login = authenticate(engine, token);
  if (login === undefined) throw new Refusal(401, "log in first: this request has no valid session");
  if (await renewSession(engine, login.session)) sendSession(cookie, token);
  return login;
}

export function callerOf({ login: { user, session } }: SessionCall): Caller {
  return { userId: user.userId, sessionId: session.sessionId };
}
