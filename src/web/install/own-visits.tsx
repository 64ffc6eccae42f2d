/** Explains how a person excludes a browser from the statistics. */
import type { Website } from "../lib/api.ts";
import { trackerHref } from "../lib/set-up/rules.ts";
import { Section } from "../parts/section.tsx";
import { t } from "../lib/texts/words.ts";

export function OwnVisits({ website: { hostname, aliases = [] } }: { readonly website: Website }) {
  const of = (host: string) => (aliases.length === 0 ? "" : ` (${host})`);
  return (
    <Section title={t("Your own visits")}>
      <p>
        {t(
          "Open your website once with one of these links in each browser that you use. The first asks, and then keeps a mark in that browser, for this website only; the second removes it. The browser’s console says which of the two is so.",
        )}
      </p>
      {[hostname, ...aliases].map((host) => (
        <p class="buttons" key={host}>
          <a class="button" href={trackerHref(host, "ignore")} target="_blank" rel="noreferrer">
            {t("Do not count this browser") + of(host)}
          </a>
          <a class="button" href={trackerHref(host, "count")} target="_blank" rel="noreferrer">
            {t("Count this browser again") + of(host)}
          </a>
        </p>
      ))}
    </Section>
  );
}
