/** The line to put into the pages, with instructions. */
import { settingsHref } from "../lib/routes.ts";
import { base } from "../lib/set-up/base.ts";
import { scriptName } from "../lib/set-up/script-name.ts";
import { isLocal, snippetOf } from "../lib/set-up/snippet.ts";
import { Copyable } from "../parts/copyable.tsx";
import { Section } from "../parts/section.tsx";
import { FeaturesBeside } from "../settings/script-features.tsx";
import { rich, t } from "../lib/texts/words.ts";

interface SnippetProps {
  readonly hostname: string;
  readonly isOwner: boolean;
}

export function Snippet({ hostname, isOwner }: SnippetProps) {
  return (
    <Section title={t("Put this line into your pages")}>
      <Copyable text={snippetOf(location.origin + base, scriptName, hostname)} />
      {isLocal(location.hostname) && (
        <p>
          {t(
            "{host} works on this machine only: in pages that others visit, write the address under which they reach Footfall.",
            { host: location.host },
          )}
        </p>
      )}
      <ol class="points">
        <li>
          {t("Copy it into the head of every page, before the closing head tag. It works on any website.")}
        </li>
        <li>
          {t(
            "WordPress, Ghost, Shopify, Squarespace and the like have a field for code in the head of all pages, often called “code injection” or “custom code”; for some it is a plugin.",
          )}
        </li>
        <li>
          {rich(
            "Publish, and open a page of the website. A single-page application needs nothing more, unless its addresses have a # like /#/about: then switch on {feature}.",
            { feature: <a href={settingsHref}>{t("Hash routes")}</a> },
          )}
        </li>
      </ol>
      {isOwner && <FeaturesBeside key={hostname} hostname={hostname} />}
      <p>
        {rich(
          "To count nobody whose browser sends Do Not Track or Global Privacy Control, add {attribute} to the tag: {tag}",
          { attribute: <code>data-dnt</code>, tag: <code>{"<script defer data-dnt src=…"}</code> },
        )}
      </p>
    </Section>
  );
}
