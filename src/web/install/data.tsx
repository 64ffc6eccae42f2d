/** Offers the data of a website as files, for other programs and for another server. */
import { base } from "../lib/set-up/base.ts";
import { Section } from "../parts/section.tsx";
import { rich, t } from "../lib/texts/words.ts";

export function Data({ hostname }: { readonly hostname: string }) {
  const link = (of: string, format: string, label: string) => (
    <a
      class="button"
      href={`${base}/website/${encodeURIComponent(hostname)}/export?of=${of}&format=${format}`}
      download
    >
      {label}
    </a>
  );
  return (
    <Section title={t("Your data")}>
      <p>
        {rich(
          "All that is known, as files. {command} and the section above take page views again, also on another server.",
          {
            command: <code>footfall import</code>,
          },
        )}
      </p>
      <p class="buttons">
        {link("page-views", "jsonl.gz", t("Page views (JSON lines)"))}
        {link("page-views", "csv.gz", t("Page views (CSV)"))}
        {link("visits", "csv.gz", t("Visits (CSV)"))}
        {link("events", "csv.gz", t("Events (CSV)"))}
      </p>
    </Section>
  );
}
