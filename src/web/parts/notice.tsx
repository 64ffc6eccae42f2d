/**
 * The notices that a view shows if it has nothing else to show: it is loading, there is no data, or something failed.
 */
import type { ComponentChildren } from "preact";
import { unreachable, type ApiError } from "../lib/api.ts";
import { askAgain } from "../lib/answer.ts";
import { t } from "../lib/words.ts";

/** Says once for the whole page that the server cannot be reached. What was shown before stays. */
export function Unreachable() {
  if (!unreachable.value) return null;
  return (
    <div class="card unreachable" role="alert">
      <p>
        <strong>{t("The server cannot be reached.")}</strong> Check your connection, and whether the server
        runs. The page tries again when you are back online.
      </p>
      <button type="button" onClick={askAgain}>
        {t("Try again")}
      </button>
    </div>
  );
}

/**
 * `what`: the thing that could not be shown, such as "the list of pages". Nothing more is said of it while the server
 * cannot be reached.
 */
export function Failed({ error, what }: { readonly error: ApiError; readonly what: string }) {
  if (error.status === 0) return <p class="notice">{t("Not loaded.")}</p>;
  return (
    <div class="notice" role="alert">
      <p>
        <strong>{`There was a problem with ${what}.`}</strong>
      </p>
      <p>{error.message}</p>
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
