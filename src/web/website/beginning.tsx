/** Stands instead of figures on the page of a website that nobody has visited yet, and says how to begin. */
import { FirstHit } from "../install/first-hit.tsx";
import { Snippet } from "../install/snippet.tsx";
import type { Question } from "../lib/question/question.ts";
import { may } from "../lib/question/view-href.ts";
import { Empty } from "../parts/notice.tsx";
import { t } from "../lib/texts/words.ts";

export function Beginning({ question }: { readonly question: Question }) {
  if (!may(question, "editor"))
    return (
      <section class="card" aria-label={t("Visits")}>
        <Empty>
          <h2>{t("Nobody has visited this website yet.")}</h2>
          <p>{t("The figures appear here with the first visit.")}</p>
        </Empty>
      </section>
    );
  return (
    <>
      <FirstHit hostname={question.hostname} />
      <Snippet hostname={question.hostname} isOwner={may(question, "owner")} />
    </>
  );
}
