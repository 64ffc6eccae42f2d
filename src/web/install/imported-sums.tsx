/** Removes the months that were imported as sums: the wrong file was, or the right one for another website. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { forgetAnswers } from "../lib/answer.ts";
import { call, displayOf, type ImportedSums, type Website } from "../lib/api.ts";
import { dayText } from "../lib/texts/notes.ts";
import { t } from "../lib/texts/words.ts";
import { Confirm } from "../parts/dialogs/confirm.tsx";
import { focusHeading } from "../parts/section.tsx";

interface ImportedProps {
  readonly website: Website;
  readonly sums: ImportedSums;
}

export function Imported({ website, sums }: ImportedProps) {
  const [asking, setAsking] = useState(false);
  const [isDone, setDone] = useState(false);
  const text = useRef<HTMLParagraphElement>(null);
  const remove = async () => {
    await call<void>("DELETE", `/website/${encodeURIComponent(website.hostname)}/imported-sums`);
    setAsking(false);
    setDone(true);
    forgetAnswers();
  };
  useLayoutEffect(() => {
    // The dialog gives the focus back to a button that is about to go.
    if (isDone) focusHeading(text.current);
  }, [isDone]);
  const { months, first_day, last_day } = sums;
  const [first, last] = [dayText(first_day), dayText(last_day)];
  return (
    <>
      <p ref={text}>
        {t(
          "Sums of {n} month were imported: {first} to {last}.|Sums of {n} months were imported: {first} to {last}.",
          {
            n: months,
            first,
            last,
          },
        )}
      </p>
      <p>
        <button type="button" class="danger-line" onClick={() => setAsking(true)}>
          {t("Remove these sums…")}
        </button>
      </p>
      {asking && (
        <Confirm
          title={t("Remove the imported sums?")}
          name={displayOf(website)}
          submit={t("Remove")}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <p>{t("Their files can be imported again afterwards.")}</p>
        </Confirm>
      )}
    </>
  );
}
