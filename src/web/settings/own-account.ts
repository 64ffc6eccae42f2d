/** Changes of the account that the page shows. */
import { ApiError, call, type Method, type User } from "../lib/api.ts";
import { t } from "../lib/texts/words.ts";

/**
 * Sends a change if the account of the page is still the one that is logged in: the cookie may be another's since
 * somebody logged in in another tab. `body`: what to send, or a function that makes it of the account as it is now. Returns
 * and throws as `call` does.
 */
export async function changeOwn<T>(
  { username }: User,
  method: Method,
  path: string,
  body?: object | ((now: User) => object),
): Promise<T> {
  const now = await call<User>("GET", "/user");
  if (now.username !== username)
    throw new ApiError(
      409,
      t("The account {name} is logged in now. Load the page again.", { name: now.username }),
    );
  return call<T>(method, path, { body: typeof body === "function" ? body(now) : body });
}
