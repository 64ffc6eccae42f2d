/** The switch for visits, what is kept for them, and the proxy that hides visitors. */
import { useAnswer } from "../lib/answer.ts";
import { call, type Website } from "../lib/api.ts";
import type { Rejections } from "../lib/set-up/rejections.ts";
import { announceChange } from "../parts/announcer.tsx";
import { Checkbox } from "../parts/forms/checkbox.tsx";
import { Form } from "../parts/forms/form.tsx";
import { HidingProxy } from "../parts/hiding-proxy.tsx";
import { Section } from "../parts/section.tsx";
import { t } from "../lib/texts/words.ts";

export function Visits({ website: { hostname, visits } }: { readonly website: Website }) {
  const path = encodeURIComponent(hostname);
  const { data } = useAnswer<Rejections>(`/website/${path}/rejections`);
  const save = async (fields: Readonly<Record<string, string>>) => {
    const saved = await call<Website>("PATCH", `/websites/${path}`, { body: { visits: "visits" in fields } });
    announceChange(
      saved.visits ? t("Visits are told apart from now on.") : t("Visits are not told apart any more."),
    );
  };
  return (
    <Section title={t("Visits")}>
      <Form submit={t("Save visits")} look="plain" onSubmit={save}>
        <fieldset class="features">
          <legend class="visually-hidden">{t("Visits")}</legend>
          <Checkbox
            name="visits"
            label={t("Tell visits apart")}
            hint={t(
              "Kept is a number that joins the page views of one visit, for 12 hours at most, and nothing that tells who it was or whether they came again.",
            )}
            defaultChecked={visits}
          />
        </fieldset>
      </Form>
      {data?.hiding_proxy !== undefined && <HidingProxy {...data.hiding_proxy} />}
    </Section>
  );
}
