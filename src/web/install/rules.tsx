/** The form for who counts on a website. */
import { useEffect, useState } from "preact/hooks";
import { useAnswer } from "../lib/answer.ts";
import { call } from "../lib/api.ts";
import {
  changesOf,
  countNames,
  fieldsOf,
  ruleLists,
  type RuleFields,
  type RuleList,
  type Rules,
} from "../lib/set-up/rules.ts";
import { announceChange } from "../parts/announcer.tsx";
import { Checkbox } from "../parts/forms/checkbox.tsx";
import { Form } from "../parts/forms/form.tsx";
import { Lines } from "../parts/tables/lines.tsx";
import { Pending } from "../parts/notice.tsx";
import { Section } from "../parts/section.tsx";
import { t } from "../lib/texts/words.ts";

const listTexts: Readonly<Record<RuleList, { readonly label: string; readonly hint: string }>> = {
  blocked_networks: {
    label: t("Blocked networks"),
    hint: t(
      "One a line, such as 192.0.2.7, 10.0.0.0/8 or 2001:db8::/32. Addresses of visitors are compared and not kept. Behind a proxy that FOOTFALL_TRUST_PROXY does not name, every visitor has the address of the proxy.",
    ),
  },
  blocked_countries: {
    label: t("Blocked countries"),
    hint: t("One a line, such as Germany or DE. Unknown is for visitors whose time zone is of no country."),
  },
  blocked_paths: {
    label: t("Blocked paths"),
    hint: t("One a line, such as /admin. With * at the end all that begin so: /admin/*"),
  },
  blocked_referrers: {
    label: t("Blocked referrers"),
    hint: t(
      "One a line, such as spam.example. Its subdomains are blocked, too. Page views from there are not counted at all, and neither are their events, such as orders: a payment provider belongs in the next list.",
    ),
  },
  ignored_referrers: {
    label: t("Referrers that are not a source"),
    hint: t(
      "One a line, such as pay.example, with its subdomains: payment providers and other places from which visitors come back. Page views from there count as if they came from this website. A visit goes on with its source, and one that begins there is direct.",
    ),
  },
};

const countTexts = {
  count_crawlers: {
    label: t("Count crawlers"),
    hint: t("Search engines, monitors and other programs that say that they are no visitors."),
  },
  count_referrer_spam: {
    label: t("Count referrer spam"),
    hint: t("Hits whose referrer is on the list of known spam."),
  },
} as const;

export function RulesSection({ hostname }: { readonly hostname: string }) {
  const path = `/website/${encodeURIComponent(hostname)}/rules`;
  const { data, error } = useAnswer<Rules>(path);
  return (
    <Section title={t("Who counts")}>
      <Pending data={data} error={error} what={t("the rules")} />
      {data !== undefined && <RulesForm key={hostname} path={path} rules={data} />}
    </Section>
  );
}

interface RulesFormProps {
  readonly path: string;
  /** The rules that the server had when it was asked last. */
  readonly rules: Rules;
}

/** Returns the fields of the form, a function that sets one, and one that saves all. */
function useFields({ path, rules }: RulesFormProps) {
  const [known, setKnown] = useState(rules);
  // A field that nobody touched here follows what others change.
  const [touched, setTouched] = useState<Partial<RuleFields>>({});
  /** The touched fields as they were before. */
  const [begun, setBegun] = useState<Partial<RuleFields>>({});
  useEffect(() => setKnown(rules), [rules]);
  const kept = fieldsOf(known);
  const fields = { ...kept, ...touched };
  const touch = (name: keyof RuleFields, value: string | boolean) => {
    setTouched({ ...touched, [name]: value });
    setBegun({ [name]: kept[name], ...begun });
  };
  const save = async () => {
    // Another window may have changed the same lists.
    const now = await call<Rules>("GET", path);
    const body = changesOf({ ...kept, ...begun }, fields, now);
    setKnown(await call<Rules>("PATCH", path, { body }));
    setTouched({});
    setBegun({});
    announceChange(t("Saved. It holds for page views from now on."));
  };
  return { fields, touch, save };
}

function RulesForm(props: RulesFormProps) {
  const { fields, touch, save } = useFields(props);
  return (
    <>
      <p>
        {t(
          "Page views that match a list of what is blocked are not counted, and neither are their events. What was counted before stays. The rules hold for access logs that are imported, too, but for countries, which no log has.",
        )}
      </p>
      <Form submit={t("Save rules")} look="plain" onSubmit={save}>
        {ruleLists.map((name) => (
          <Lines
            key={name}
            name={name}
            {...listTexts[name]}
            value={fields[name]}
            onInput={(text) => touch(name, text)}
          />
        ))}
        <fieldset class="features">
          <legend class="visually-hidden">{t("Crawlers and spam")}</legend>
          {countNames.map((name) => (
            <Checkbox
              key={name}
              name={name}
              {...countTexts[name]}
              checked={fields[name]}
              onChange={(checked) => touch(name, checked)}
            />
          ))}
        </fieldset>
      </Form>
    </>
  );
}
