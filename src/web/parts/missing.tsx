/** In place of a website that is not there. */
import type { ApiError } from "../lib/api.ts";
import { isolated, label } from "../lib/label.ts";
import { websitesHref } from "../lib/routes.ts";
import { Empty } from "./notice.tsx";

/** Also for what no website can be called. */
export function isMissing(error: ApiError | undefined): boolean {
  return error?.status === 404 || (error?.status === 400 && error.message.startsWith("hostname: "));
}

export function MissingWebsite({ hostname }: { readonly hostname: string }) {
  return (
    <Empty>
      <h1>There is no website {isolated(label(hostname))}.</h1>
      <p>It was removed or renamed, or it belongs to another account.</p>
      <a href={websitesHref}>Go to your websites</a>
    </Empty>
  );
}
