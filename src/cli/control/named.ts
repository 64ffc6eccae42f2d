/** The websites and accounts that commands name. All functions throw Refusal 404 for what there is not. */
import type { User, Website } from "../../accounts/account.ts";
import { roleOf } from "../../accounts/members.ts";
import { parseHostname } from "../../core/addresses/hostname.ts";
import { Refusal, shown } from "../../core/refusal.ts";
import { fieldsOf, requiredText } from "../../engine/admin/fields.ts";
import type { Engine } from "../../engine/engine.ts";

/** Returns the website of that `hostname`, and what the operator asks of it in the name of its first owner. */
export function websiteIn(engine: Engine, input: unknown) {
  const { registry } = engine;
  const asked = requiredText(fieldsOf(input), "hostname");
  const name = parseHostname(asked) ?? "";
  const website = registry.websiteByHost(name);
  if (website === undefined) {
    const counted = registry.websiteForHit(name);
    const hint =
      counted === undefined
        ? "'footfall website list' names those that there are"
        : `its hits count for ${shown(counted.hostname)}`;
    throw new Refusal(404, `there is no website ${shown(asked)}: ${hint}`);
  }
  const { userId, hostname } = website;
  return { website, asked: { engine, caller: { userId, sessionId: "" }, hostname } };
}

/** Throws Refusal 404 for an account that does not have the website, though it is there: whoever runs the server may know. */
export function expectHas({ userId, username }: User, website: Website): void {
  if (roleOf(website, userId) !== undefined) return;
  const who = `${shown(username)} does not have the website ${shown(website.hostname)}`;
  throw new Refusal(404, `${who}: say with --user which of its accounts the token is of`);
}

/** Returns the account of that name; `username` "" means the oldest account. */
export function accountOf(engine: Engine, username: string) {
  if (username !== "") return accountNamed(engine, username);
  const { oldestUser } = engine.registry;
  if (oldestUser !== undefined) return oldestUser;
  throw new Refusal(404, "there is no account yet: add one with 'footfall user add NAME'");
}

export function accountNamed({ registry }: Engine, username: string) {
  const user = registry.userByName(username);
  if (user === undefined) throw new Refusal(404, `there is no account ${shown(username)}`);
  return user;
}
