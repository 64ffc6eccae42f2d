/** The list of the account's sessions. */
import { useAnswer } from "../lib/answer.ts";
import { call, type LoginSession } from "../lib/api.ts";
import { shortDate } from "../lib/texts/format.ts";
import { EntryCell, EntryTable, EntryTool, useEntryChanges } from "../parts/tables/entry-table.tsx";
import { Pending } from "../parts/notice.tsx";
import { Section } from "../parts/section.tsx";
import { t, translated } from "../lib/texts/words.ts";

export function Sessions() {
  const { data, error } = useAnswer<readonly LoginSession[]>("/user/sessions");
  return (
    <Section title={t("Sessions")}>
      <Pending data={data} error={error} what={t("the list of sessions")} />
      {data !== undefined && <SessionList sessions={data} />}
    </Section>
  );
}

function SessionList({ sessions }: { readonly sessions: readonly LoginSession[] }) {
  const { error, change } = useEntryChanges();
  const others = sessions.filter(({ current }) => !current).toSorted((a, b) => b.dateUpdated - a.dateUpdated);
  const shown = [...sessions.filter(({ current }) => current), ...others];
  const end = (ended: readonly LoginSession[], button: Element) =>
    change(
      async () => {
        for (const { id } of ended) await call("DELETE", `/user/sessions/${encodeURIComponent(id)}`);
      },
      ended.length === 1 ? t("The session has ended.") : t("All other sessions have ended."),
      button,
    );
  return (
    <>
      <EntryTable
        caption={t("Where you are logged in")}
        columns={[t("Browser"), t("Since"), t("Last use")]}
        tool={t("End")}
        error={error}
      >
        {shown.map((session) => (
          <SessionRow key={session.id} session={session} onEnd={(button) => end([session], button)} />
        ))}
      </EntryTable>
      {others.length > 1 && (
        <p>
          <button type="button" onClick={(event) => end(others, event.currentTarget)}>
            {t("End all others")}
          </button>
        </p>
      )}
    </>
  );
}

interface SessionRowProps {
  readonly session: LoginSession;
  readonly onEnd: (button: Element) => void;
}

function SessionRow({ session, onEnd }: SessionRowProps) {
  // The server stores only the day of the last use.
  const { browser, os, dateCreated, dateUpdated, current } = session;
  const name = t("{browser} on {os}", { browser: translated(browser), os: translated(os) });
  return (
    <tr>
      <th scope="row">{name}</th>
      <EntryCell column={t("Since")} class="date">
        {shortDate(dateCreated)}
      </EntryCell>
      <EntryCell column={t("Last use")} class="date">
        {shortDate(dateUpdated)}
      </EntryCell>
      {current ? (
        <td class="row-tools weak">{t("This one")}</td>
      ) : (
        <EntryTool
          label={t("End the session of {name} since {date}", { name, date: shortDate(dateCreated) })}
          text={t("End")}
          onPress={onEnd}
        />
      )}
    </tr>
  );
}
