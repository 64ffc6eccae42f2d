/** Explains how a person excludes a browser from the statistics. */
import { trackerHref } from "../lib/set-up/rules.ts";
import { Section } from "../parts/section.tsx";
import { t } from "../lib/texts/words.ts";

export function OwnVisits({ hostname }: { readonly hostname: string }) {
  return (
    <Section title={t("Your own visits")}>
      <p>
        {t(
          "Open your website once with one of these links in each browser that you use. The first asks, and then keeps a mark in that browser, for this website only; the second removes it. The browser’s console says which of the two is so.",
        )}
      </p>
      <p class="buttons">
        <a class="button" href={trackerHref(hostname, "ignore")} target="_blank" rel="noreferrer">
          {t("Do not count this browser")}
        </a>
        <a class="button" href={trackerHref(hostname, "count")} target="_blank" rel="noreferrer">
          {t("Count this browser again")}
        </a>
      </p>
    </Section>
  );
}
