/** The form for the other hostnames of a website, such as that of its shop. */
import { useState } from "preact/hooks";
import { pastedHostname } from "../../core/addresses/pasted-hostname.ts";
import { call, type Website } from "../lib/api.ts";
import { mergedLines } from "../lib/set-up/rules.ts";
import { announceChange } from "../parts/announcer.tsx";
import { Form } from "../parts/forms/form.tsx";
import { Section } from "../parts/section.tsx";
import { Lines } from "../parts/tables/lines.tsx";
import { t } from "../lib/texts/words.ts";

export function Aliases({ website: { hostname, aliases = [] } }: { readonly website: Website }) {
  const path = `/websites/${encodeURIComponent(hostname)}`;
  const kept = aliases.join("\n");
  const [typed, setTyped] = useState<{ readonly text: string; readonly before: string }>();
  const { text, before } = typed ?? { text: kept, before: kept };
  const save = async () => {
    // Another window may have changed the list, and hits of a hostname that drops out of it are lost.
    const now = await call<Website>("GET", path);
    const lines = mergedLines(before, text, (now.aliases ?? []).join("\n"));
    await call<Website>("PATCH", path, { body: { aliases: lines.map(pastedHostname) } });
    setTyped(undefined);
    announceChange(t("Saved. It holds for page views from now on."));
  };
  return (
    <Section title={t("Other hostnames")}>
      <p>
        {t(
          "For a shop, a blog or a checkout at a hostname of its own. Its page views and events count here, and a visit goes on from one hostname to the other: an order there has the campaign from here. Put the line of this page into its pages, too.",
        )}
      </p>
      <Form submit={t("Save hostnames")} look="plain" onSubmit={save}>
        <Lines
          name="aliases"
          label={t("Other hostnames")}
          hint={t(
            "One a line, such as shop.example.com; it counts with and without www. Its pages are listed as //shop.example.com/cart.",
          )}
          value={text}
          onInput={(text) => setTyped({ text, before })}
        />
      </Form>
    </Section>
  );
}
