/** The notices in place of a website that does not exist, and of a link that is no more. */
import type { ApiError } from "../lib/api.ts";
import { isolated, label } from "../../core/questions/label.ts";
import { websitesHref } from "../lib/routes.ts";
import { Empty } from "./notice.tsx";
import { t } from "../lib/texts/words.ts";

/**
 * Returns whether there is no such website, which includes texts that cannot be a hostname. A proxy may say 404 while the server
 * starts again.
 */
export function isMissing(error: ApiError | undefined): boolean {
  if (!error?.isOwn) return false;
  return error.status === 404 || (error.status === 400 && error.message.startsWith("hostname: "));
}

export function MissingWebsite({ hostname }: { readonly hostname: string }) {
  return (
    <Empty>
      <h1>{t("There is no website {hostname}.", { hostname: isolated(label(hostname)) })}</h1>
      <p>{t("It was removed or renamed, or it belongs to another account.")}</p>
      <a href={websitesHref}>{t("Go to your websites")}</a>
    </Empty>
  );
}

export function MissingLink() {
  return (
    <Empty>
      <h1>{t("This link opens nothing.")}</h1>
      <p>{t("It was revoked, or its address was cut off. Ask for another one.")}</p>
    </Empty>
  );
}
