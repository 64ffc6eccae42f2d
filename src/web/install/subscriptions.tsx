/** Sets up who is told what about a website: reports and alerts, by mail or webhook, and whether that works. */
import { useState } from "preact/hooks";
import { reportKinds, thresholds, type SubscriptionKind } from "../../core/website/subscription.ts";
import { askAgain, useAnswer } from "../lib/answer.ts";
import { call, saidBy } from "../lib/api.ts";
import { ownZone } from "../lib/calendar/zone.ts";
import { dateTime } from "../lib/texts/format.ts";
import { isolated } from "../../core/questions/label.ts";
import { sendsMail } from "../lib/set-up/sends-mail.ts";
import { announce } from "../parts/announcer.tsx";
import { Copyable } from "../parts/copyable.tsx";
import { EntryCell, EntryTable, EntryTool, useEntryChanges } from "../parts/tables/entry-table.tsx";
import { Field, Form, FormError } from "../parts/forms/form.tsx";
import { Pending } from "../parts/notice.tsx";
import { Section } from "../parts/section.tsx";
import { t } from "../lib/texts/words.ts";

type List = "reports" | "alerts";

interface Subscription {
  readonly id: number;
  readonly kind: SubscriptionKind;
  readonly email?: string;
  readonly confirmed?: boolean;
  readonly goal_id?: number;
  readonly webhook?: { readonly host: string; readonly format: string };
  /** Unix seconds. */
  readonly last_sent?: number;
  readonly waiting?: true;
  readonly last_error?: string;
}

const kindTexts: Readonly<Record<SubscriptionKind, string>> = {
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
const targetTexts = {
  email: t("Mail address"),
  json: t("Webhook (JSON)"),
  slack: "Slack",
  discord: "Discord",
  ntfy: "ntfy",
} as const;

/** The fields of the form by those of the API. */
const formNames = {
  email: "address",
  "webhook.url": "address",
  visitors: "threshold",
  hours: "threshold",
  times: "threshold",
  goal_id: "goal",
};

function listOf(kind: SubscriptionKind): List {
  return (reportKinds as readonly string[]).includes(kind) ? "reports" : "alerts";
}

export function Subscriptions({ hostname }: { readonly hostname: string }) {
  const path = `/website/${encodeURIComponent(hostname)}`;
  const reports = useAnswer<readonly Subscription[]>(`${path}/reports`);
  const alerts = useAnswer<readonly Subscription[]>(`${path}/alerts`);
  const all = [...(reports.data ?? []), ...(alerts.data ?? [])];
  return (
    <Section title={t("Reports and alerts")}>
      <p>
        {t(
          "Footfall tells you what matters. The owner of a mail address has to confirm it, by a link that is sent once.",
        )}
      </p>
      <Pending data={reports.data} error={reports.error ?? alerts.error} what={t("the reports and alerts")} />
      {all.length > 0 && <SubscriptionTable path={path} subscriptions={all} />}
      <Add path={path} />
    </Section>
  );
}

interface TableProps {
  readonly path: string;
  readonly subscriptions: readonly Subscription[];
}

function SubscriptionTable({ path, subscriptions }: TableProps) {
  const goals = useGoals(path);
  return (
    <EntryTable
      caption={t("Reports and alerts of this website")}
      columns={[t("What"), t("To"), t("State")]}
      tool={t("Remove")}
    >
      {subscriptions.map((each) => {
        const name = each.kind === "goal" && goals?.find(({ id }) => id === each.goal_id)?.name;
        const what = name
          ? t("Alert: the goal {name} is reached", { name: isolated(name) })
          : kindTexts[each.kind];
        return <SubscriptionRow key={each.id} path={path} subscription={each} what={what} />;
      })}
    </EntryTable>
  );
}

interface RowProps {
  readonly path: string;
  readonly subscription: Subscription;
  readonly what: string;
}

function SubscriptionRow({ path, subscription, what }: RowProps) {
  const { error, change } = useEntryChanges();
  const { id, kind } = subscription;
  const own = `${path}/${listOf(kind)}/${id}`;
  const target = targetOf(subscription);
  return (
    <tr>
      <th scope="row">{what}</th>
      <EntryCell column={t("To")} dir="auto">
        {target}
      </EntryCell>
      <EntryCell column={t("State")}>
        {stateOf(subscription)}
        <FormError error={error} />
      </EntryCell>
      <EntryTool
        label={t("Remove: {what} to {target}", { what, target })}
        text={t("Remove")}
        onPress={(button) => change(() => call("DELETE", own), t("It is not sent any more."), button)}
      >
        <button
          type="button"
          aria-label={t("Send a test message: {what} to {target}", { what, target })}
          onClick={() => change(() => call("POST", `${own}/test`), t("The test message was sent."))}
        >
          {t("Test")}
        </button>
      </EntryTool>
    </tr>
  );
}

/** Returns where it goes: a mail address, or the host of a webhook and its form. */
function targetOf({ email, webhook }: Subscription): string {
  if (webhook === undefined) return email ?? "";
  return `${webhook.host} · ${targetTexts[webhook.format as keyof typeof targetTexts]}`;
}

/** Returns when the last message was sent, whether one waits, and the last error. */
function stateOf({ confirmed, last_sent: sent, waiting, last_error: error }: Subscription): string {
  const failed = error !== undefined && saidBy({ message: error });
  if (confirmed === false)
    return failed ? t("Its owner could not be asked: {error}", { error: failed }) : t("Not confirmed yet");
  const date = sent && dateTime(sent * 1_000, { dateStyle: "medium", timeStyle: "short" });
  return [
    date ? t("Last sent {date}", { date }) : t("Nothing sent yet"),
    waiting && t("One is waiting"),
    failed && t("Not sent: {error}", { error: failed }),
  ]
    .filter(Boolean)
    .join(" · ");
}

function Add({ path }: { readonly path: string }) {
  const [kind, setKind] = useState<SubscriptionKind>("weekly");
  const [target, setTarget] = useState<keyof typeof targetTexts>(sendsMail ? "email" : "json");
  const [secret, setSecret] = useState<string>();
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
    setSecret(undefined);
    const added = await call<{ secret?: string }>("POST", `${path}/${listOf(kind)}`, { body });
    setSecret(target === "json" ? added.secret : undefined);
    announce(t("It is added."));
    askAgain();
  };
  return (
    <>
      {secret !== undefined && <Secret secret={secret} />}
      <Form submit={t("Add")} look="plain" names={formNames} onSubmit={add}>
        <Choice
          id="told-kind"
          label={t("What")}
          value={kind}
          texts={kinds.map((each) => [each, kindTexts[each]])}
          onChange={(value) => setKind(value as SubscriptionKind)}
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
        <Choice
          id="told-target"
          label={t("To")}
          value={target}
          texts={Object.entries(targetTexts)}
          onChange={(value) => setTarget(value as keyof typeof targetTexts)}
        />
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

interface ChoiceProps {
  readonly id: string;
  readonly label: string;
  readonly name?: string;
  readonly value?: string;
  readonly texts: readonly (readonly [value: string, text: string])[];
  readonly onChange?: (value: string) => void;
}

function Choice({ id, label, name, value, texts, onChange }: ChoiceProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name} value={value} onChange={(event) => onChange?.(event.currentTarget.value)}>
        {texts.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Returns the goals of the website, without figures; undefined before they are known. */
function useGoals(path: string) {
  // The goals of a moment cost nothing.
  const [now] = useState(() => new Date().toISOString());
  return useAnswer<readonly { id: number; name: string }[]>(`${path}/goals?start=${now}`).data;
}

function GoalChoice({ path }: { readonly path: string }) {
  const goals = useGoals(path);
  if (goals?.length === 0)
    return <p class="hint">{t("This website has no goals yet: add one on its page first.")}</p>;
  return (
    <Choice
      id="told-goal"
      label={t("Goal")}
      name="goal"
      texts={(goals ?? []).map(({ id, name }) => [String(id), name])}
    />
  );
}
