/** The set-up view of a website: the snippet, whether hits arrive and count, and the changes to the website. */
import { includesRole } from "../../core/website/role.ts";
import { useAnswer } from "../lib/answer.ts";
import { displayOf, type Website } from "../lib/api.ts";
import { websiteHref } from "../lib/routes.ts";
import { Aliases } from "../install/aliases.tsx";
import { FirstHitByStream } from "../install/first-hit.tsx";
import { Events } from "../install/events.tsx";
import { Data } from "../install/data.tsx";
import { Remove, Rename } from "../install/changes.tsx";
import { ImportFile } from "../install/import-file.tsx";
import { NotCounted } from "../install/not-counted.tsx";
import { OwnVisits } from "../install/own-visits.tsx";
import { RemoveViews } from "../install/remove-views.tsx";
import { RulesSection } from "../install/rules.tsx";
import { Visits } from "../install/visits.tsx";
import { Leave, Members } from "../install/sharing/members.tsx";
import { Share } from "../install/sharing/share.tsx";
import { Subscriptions } from "../install/sharing/subscriptions.tsx";
import { Snippet } from "../install/snippet.tsx";
import { Contents } from "../parts/contents.tsx";
import { isMissing, MissingWebsite } from "../parts/missing.tsx";
import { Pending } from "../parts/notice.tsx";
import { t } from "../lib/texts/words.ts";

export function Install({ hostname }: { readonly hostname: string }) {
  const { data, error } = useAnswer<Website>(`/websites/${encodeURIComponent(hostname)}`);
  if (isMissing(error)) return <MissingWebsite hostname={hostname} />;
  if (data === undefined) return <Pending data={data} error={error} what={hostname} />;
  if (!includesRole(data.role, "editor")) return <ViewersOnly website={data} />;
  const isOwner = includesRole(data.role, "owner");
  return (
    <>
      <header class="view-head">
        <h1>{t("Set up {hostname}", { hostname: displayOf(data) })}</h1>
        <a class="button" href={websiteHref(hostname)}>
          {t("Statistics")}
        </a>
      </header>
      <Contents key={`contents ${hostname}`} />
      <FirstHitByStream website={data} />
      <Snippet hostname={hostname} isOwner={isOwner} />
      <Events />
      <NotCounted hostname={hostname} />
      <OwnVisits website={data} />
      <RulesSection hostname={hostname} />
      {isOwner && <Aliases key={`aliases ${hostname}`} website={data} />}
      <Visits key={hostname} website={data} />
      <Subscriptions key={`told ${hostname}`} hostname={hostname} />
      {isOwner && <Share key={`share ${hostname}`} website={data} />}
      {isOwner && <Members key={`members ${hostname}`} hostname={hostname} />}
      {isOwner && <ImportFile key={`import ${hostname}`} website={data} />}
      <Data hostname={hostname} />
      {isOwner && <RemoveViews website={data} />}
      {isOwner && <Rename website={data} />}
      {isOwner ? <Remove website={data} /> : <Leave website={data} />}
    </>
  );
}

/** The view for viewers, who have nothing to set up. */
function ViewersOnly({ website }: { readonly website: Website }) {
  return (
    <>
      <header class="view-head">
        <h1>{displayOf(website)}</h1>
        <a class="button" href={websiteHref(website.hostname)}>
          {t("Statistics")}
        </a>
      </header>
      <Leave website={website} />
    </>
  );
}
