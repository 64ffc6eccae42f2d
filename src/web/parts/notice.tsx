/**
 * The notices that a view shows if it has nothing else to show: it is loading, there is no data, or something failed.
 */
import type { ComponentChildren } from "preact";
import { saidBy, unreachable, type ApiError } from "../lib/api.ts";
import { askAgain } from "../lib/answer.ts";
import { t } from "../lib/texts/words.ts";

/** Says once for the whole page that the server cannot be reached. What was shown before stays. */
export function Unreachable() {
  if (!unreachable.value) return null;
  return (
    <div class="card unreachable" role="alert">
      <p>
        <strong>{t("The server cannot be reached.")}</strong>{" "}
        {t(
          "Check your connection, and whether the server runs. The page tries again when you are back online.",
        )}
      </p>
      <button type="button" onClick={askAgain}>
        {t("Try again")}
      </button>
    </div>
  );
}

/**
 * `what`: the thing that could not be shown, such as "the list of pages". Nothing more is said of it while the page says
 * that the server cannot be reached.
 */
export function Failed({ error, what }: { readonly error: ApiError; readonly what: string }) {
  if (error.status === 0 && unreachable.value) return <p class="notice">{t("Not loaded.")}</p>;
  return (
    <div class="notice" role="alert">
      <p>
        <strong>{t("There was a problem with {what}.", { what })}</strong>
      </p>
      <p>{saidBy(error)}</p>
      <button type="button" onClick={askAgain}>
        {t("Try again")}
      </button>
    </div>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <div class="notice">{children}</div>;
}

/** Shown only if an answer takes so long that a person would wonder. */
export function Loading() {
  return (
    <p class="notice loading" role="status">
      {t("Loading…")}
    </p>
  );
}

interface PendingProps {
  readonly data: unknown;
  readonly error: ApiError | undefined;
  readonly what: string;
}

/** Stands for data while it is on its way, or did not come. */
export function Pending({ data, error, what }: PendingProps) {
  if (error !== undefined) return <Failed error={error} what={what} />;
  return data === undefined ? <Loading /> : null;
}
