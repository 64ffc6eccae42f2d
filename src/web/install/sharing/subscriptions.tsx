/** Sets up who is told what about a website: reports and alerts, by mail or webhook, and whether that works. */
import type { SubscriptionKind } from "../../../core/website/subscription.ts";
import { useAnswer } from "../../lib/answer.ts";
import { call, saidBy } from "../../lib/api.ts";
import { dateTime } from "../../lib/texts/format.ts";
import { isolated } from "../../../core/questions/label.ts";
import {
  EntryCell,
  EntryTable,
  EntryTool,
  useEntryChanges,
  useEntryDeletion,
  type Ask,
} from "../../parts/tables/entry-table.tsx";
import { FormError } from "../../parts/forms/form.tsx";
import { Pending } from "../../parts/notice.tsx";
import { Section } from "../../parts/section.tsx";
import { Add, kindTexts, listOf, targetTexts, useGoals } from "./new-subscription.tsx";
import { t } from "../../lib/texts/words.ts";

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

export function Subscriptions({ hostname }: { readonly hostname: string }) {
  const path = `/website/${encodeURIComponent(hostname)}`;
  const reports = useAnswer<readonly Subscription[]>(`${path}/reports`);
  const alerts = useAnswer<readonly Subscription[]>(`${path}/alerts`);
  const all = [...(reports.data ?? []), ...(alerts.data ?? [])];
  const { ask, dialog } = useEntryDeletion();
  return (
    <Section title={t("Reports and alerts")}>
      <p>
        {t(
          "Footfall tells you what matters. The owner of a mail address has to confirm it, by a link that is sent once.",
        )}
      </p>
      <Pending data={reports.data} error={reports.error ?? alerts.error} what={t("the reports and alerts")} />
      {all.length > 0 && <SubscriptionTable path={path} subscriptions={all} ask={ask} />}
      {dialog}
      <Add path={path} subscriptions={reports.data && alerts.data && all} />
    </Section>
  );
}

interface TableProps {
  readonly path: string;
  readonly subscriptions: readonly Subscription[];
  readonly ask: Ask;
}

function SubscriptionTable({ path, subscriptions, ask }: TableProps) {
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
        return <SubscriptionRow key={each.id} path={path} subscription={each} what={what} ask={ask} />;
      })}
    </EntryTable>
  );
}

interface RowProps {
  readonly path: string;
  readonly subscription: Subscription;
  readonly what: string;
  readonly ask: Ask;
}

function SubscriptionRow({ path, subscription, what, ask }: RowProps) {
  const { error, change } = useEntryChanges();
  const { id, kind } = subscription;
  const own = `${path}/${listOf(kind)}/${id}`;
  const target = targetOf(subscription);
  const remove = (button: Element) =>
    ask(button, {
      title: listOf(kind) === "reports" ? t("Remove the report?") : t("Remove the alert?"),
      submit: t("Remove"),
      done: t("It is not sent any more."),
      path: own,
      children: (
        <p>{t("{what} to {target}: it is not sent any more then.", { what, target: isolated(target) })}</p>
      ),
    });
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
        onPress={remove}
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
