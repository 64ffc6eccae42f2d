/** Accounts with a role on example.com, as an owner invites them. */
import { addUser } from "../../src/engine/admin/account/users.ts";
import type { Role } from "../../src/core/website/role.ts";
import type { TestServer } from "./http.ts";

const password = "long enough";

/** Adds an account, logs it in, and has it accept an invitation with this role. Returns the token of its session. */
export async function joinAs(
  server: TestServer,
  owner: string,
  role: Role,
  username: string = role,
): Promise<string> {
  const cookie = await accountOf(server, username);
  const asked = { cookie: owner, body: { role } };
  const invited = await server.ask("POST", "/website/example.com/invitations", asked);
  const { token } = (await invited.json()) as { token: string };
  await server.ask("POST", "/invitations/accept", { cookie, body: { token } });
  return cookie;
}

/** Adds an account without any website, and logs it in. */
export async function accountOf(server: TestServer, username: string): Promise<string> {
  await addUser(server.engine, { username, password });
  return server.logIn({ username, password });
}
