/** The form that adds a report or an alert of a website, and the words for those that there are. */
import { useState } from "preact/hooks";
import { reportKinds, thresholds, type SubscriptionKind } from "../../../core/website/subscription.ts";
import { askAgain, useAnswer } from "../../lib/answer.ts";
import { call } from "../../lib/api.ts";
import { ownZone } from "../../lib/calendar/zone.ts";
import { sendsMail } from "../../lib/set-up/sends-mail.ts";
import { announce } from "../../parts/announcer.tsx";
import { Copyable } from "../../parts/copyable.tsx";
import { Field, Form } from "../../parts/forms/form.tsx";
import { Select } from "../../parts/forms/select.tsx";
import { useMade } from "../../parts/made.tsx";
import { t } from "../../lib/texts/words.ts";

type List = "reports" | "alerts";

export const kindTexts: Readonly<Record<SubscriptionKind, string>> = {
  weekly: t("Report on Mondays"),
  monthly: t("Report on the first of the month"),
  spike: t("Alert: many more visitors than usual"),
  drop: t("Alert: far fewer visitors than usual"),
  silence: t("Alert: no page views"),
  goal: t("Alert: a goal is reached"),
  disk: t("Alert: the server's disk is nearly full"),
};
const kinds = Object.keys(kindTexts) as SubscriptionKind[];
const thresholdTexts = {
  visitors: t("Visitors of an hour from which on it matters"),
  hours: t("Hours without a page view"),
  times: t("How often in a day"),
};
export const targetTexts = {
  email: t("Mail address"),
  json: t("Webhook (JSON)"),
  slack: "Slack",
  discord: "Discord",
  ntfy: "ntfy",
} as const;
type Target = keyof typeof targetTexts;
const targets = Object.entries(targetTexts) as readonly (readonly [Target, string])[];

/** The fields of the form by those of the API. */
const formNames = {
  email: "address",
  "webhook.url": "address",
  visitors: "threshold",
  hours: "threshold",
  times: "threshold",
  goal_id: "goal",
};

export function listOf(kind: SubscriptionKind): List {
  return (reportKinds as readonly string[]).includes(kind) ? "reports" : "alerts";
}

interface Added {
  readonly id: number;
  readonly secret?: string;
}

interface AddProps {
  readonly path: string;
  /** All that there are; undefined before they are known. */
  readonly subscriptions: readonly Pick<Added, "id">[] | undefined;
}

export function Add({ path, subscriptions }: AddProps) {
  const [kind, setKind] = useState<SubscriptionKind>("weekly");
  const [target, setTarget] = useState<Target>(sendsMail ? "email" : "json");
  const [added, setAdded] = useState<Added>();
  const secret = useMade(added, subscriptions)?.secret;
  const threshold = thresholds[kind];
  const add = async ({ address = "", goal, threshold: figure = "" }: Readonly<Record<string, string>>) => {
    const to = target === "email" ? { email: address } : { webhook: { url: address, format: target } };
    const body = {
      kind,
      ...to,
      time_zone: ownZone,
      // The server says what is wrong with anything else.
      ...(threshold && { [threshold.field]: /^\d+$/.test(figure) ? Number(figure) : figure }),
      ...(kind === "goal" && { goal_id: Number(goal) }),
    };
    setAdded(undefined);
    const { id, secret } = await call<Added>("POST", `${path}/${listOf(kind)}`, { body });
    setAdded(target === "json" && secret ? { id, secret } : undefined);
    announce(t("It is added."));
    askAgain();
  };
  return (
    <>
      {secret !== undefined && <Secret secret={secret} />}
      <Form submit={t("Add")} look="plain" names={formNames} onSubmit={add}>
        <Select
          label={t("What")}
          value={kind}
          options={kinds.map((each) => [each, kindTexts[each]])}
          onChange={setKind}
        />
        {threshold && (
          <Field
            key={kind}
            label={thresholdTexts[threshold.field]}
            name="threshold"
            defaultValue={String(threshold.usual)}
            required
          />
        )}
        {kind === "goal" && <GoalChoice path={path} />}
        <Select label={t("To")} value={target} options={targets} onChange={setTarget} />
        <AddressField isMail={target === "email"} />
      </Form>
    </>
  );
}

function AddressField({ isMail }: { readonly isMail: boolean }) {
  const hint = t("To send mail, the owner of this server has to set FOOTFALL_SMTP.");
  return (
    <Field
      label={isMail ? t("Mail address") : t("URL of the webhook")}
      {...(isMail && !sendsMail && { hint })}
      name="address"
      autocapitalize="none"
      spellcheck={false}
      required
    />
  );
}

function Secret({ secret }: { readonly secret: string }) {
  return (
    <div class="made-link">
      <p>{t("Messages are signed with this key. It is not shown again.")}</p>
      <Copyable text={secret} />
    </div>
  );
}

/** Returns the goals of the website, without figures; undefined before they are known. */
export function useGoals(path: string) {
  // The goals of a moment cost nothing.
  const [now] = useState(() => new Date().toISOString());
  return useAnswer<readonly { id: number; name: string }[]>(`${path}/goals?start=${now}`).data;
}

function GoalChoice({ path }: { readonly path: string }) {
  const goals = useGoals(path);
  if (goals?.length === 0)
    return <p class="hint">{t("This website has no goals yet: add one on its page first.")}</p>;
  return (
    <Select label={t("Goal")} name="goal" options={(goals ?? []).map(({ id, name }) => [String(id), name])} />
  );
}
