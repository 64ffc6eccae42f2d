/** In place of a website that is not there. */
import { isolated, label } from "../lib/label.ts";
import { websitesHref } from "../lib/routes.ts";
import { Empty } from "./notice.tsx";

export function MissingWebsite({ hostname }: { readonly hostname: string }) {
  return (
    <Empty>
      <h1>There is no website {isolated(label(hostname))}.</h1>
      <p>It was removed or renamed, or it belongs to another account.</p>
      <a href={websitesHref}>Go to your websites</a>
    </Empty>
  );
}
