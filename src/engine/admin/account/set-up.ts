/** Creates the first account through the one-time link that the server prints at its start while there is none. */
import type { User } from "../../../accounts/registry/registry.ts";
import { newToken, sameSecret } from "../../../accounts/token.ts";
import { Refusal } from "../../../core/refusal.ts";
import type { Engine } from "../../engine.ts";
import { demoRefusal } from "../caller.ts";
import { fieldsOf, requiredText } from "../fields.ts";
import { addUser } from "./users.ts";

export class SetUp {
  /** The secret of the link; in memory only, new at every start and once it was used. */
  token: string;

  constructor(private readonly engine: Engine) {
    this.token = newToken(engine.random);
  }

  /** Whether there is no account: none yet, or the last one was deleted. */
  get open(): boolean {
    return this.engine.registry.users.size === 0;
  }

  /**
   * Creates the account. Takes `{token, username, password}`. Throws Refusal 400, 401 for a wrong token, 403 in demo
   * mode, 409 if not open.
   */
  async run(body: unknown): Promise<User> {
    if (this.engine.demo) throw demoRefusal();
    if (!this.open) throw new Refusal(409, "there is an account already: log in");
    const token = requiredText(fieldsOf(body), "token");
    if (!sameSecret(token, this.token))
      throw new Refusal(
        401,
        "token: this set-up link is not valid; use the one that the server printed at its last start",
      );
    const user = await addUser(this.engine, body, true);
    this.token = newToken(this.engine.random);
    return user;
  }
}
