/** The list of the account's sessions. */
import { askAgain, useAnswer } from "../lib/answer.ts";
import { call, type LoginSession } from "../lib/api.ts";
import { dateTime } from "../lib/format.ts";
import { announce } from "../parts/announcer.tsx";
import { FormError, useSubmission } from "../parts/form.tsx";
import { Failed, Loading } from "../parts/notice.tsx";
import { focusHeading, Section } from "../parts/section.tsx";

export function Sessions() {
  const { data, error } = useAnswer<readonly LoginSession[]>("/user/sessions");
  return (
    <Section title="Sessions">
      {error !== undefined && <Failed error={error} what="the list of sessions" />}
      {data === undefined && error === undefined && <Loading />}
      {data !== undefined && <SessionList sessions={data} />}
    </Section>
  );
}

function SessionList({ sessions }: { readonly sessions: readonly LoginSession[] }) {
  const { error, run } = useSubmission();
  const others = sessions.filter(({ current }) => !current).toSorted((a, b) => b.dateUpdated - a.dateUpdated);
  const shown = [...sessions.filter(({ current }) => current), ...others];
  /** Ends sessions. Their buttons vanish, so the focus moves to the heading. */
  const end = (ended: readonly LoginSession[], button: Element) =>
    run(async () => {
      try {
        for (const { id } of ended) await call("DELETE", `/user/sessions/${encodeURIComponent(id)}`);
        focusHeading(button);
        announce(ended.length === 1 ? "The session has ended." : "All other sessions have ended.");
      } finally {
        askAgain();
      }
    });
  return (
    <>
      <table class="sessions">
        <caption class="visually-hidden">Where you are logged in</caption>
        <thead>
          <tr>
            <th scope="col">Browser</th>
            <th scope="col">Since</th>
            <th scope="col">Last use</th>
            <th scope="col">
              <span class="visually-hidden">End</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((session) => (
            <SessionRow key={session.id} session={session} onEnd={(button) => void end([session], button)} />
          ))}
        </tbody>
      </table>
      <FormError error={error} />
      {others.length > 1 && (
        <p>
          <button type="button" onClick={(event) => void end(others, event.currentTarget)}>
            End all others
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
  const { browser, os, dateCreated, dateUpdated, current } = session;
  const name = `${browser} on ${os}`;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{day(dateCreated)}</td>
      <td>{day(dateUpdated)}</td>
      <td class="row-tools">
        {current ? (
          <span class="weak">This one</span>
        ) : (
          <button
            type="button"
            aria-label={`End the session of ${name} since ${day(dateCreated)}`}
            onClick={(event) => onEnd(event.currentTarget)}
          >
            End
          </button>
        )}
      </td>
    </tr>
  );
}

/** Returns the day of a time: the server stores only the day of the last use, so no time of day is shown. */
function day(seconds: number): string {
  return dateTime(seconds * 1_000, { dateStyle: "medium" });
}
