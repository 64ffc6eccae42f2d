/**
 * The notices that a view shows if it has nothing else to show: it is loading, there is no data, or something failed.
 */
import type { ComponentChildren } from "preact";
import type { ApiError } from "../lib/api.ts";
import { askAgain } from "../lib/answer.ts";

/** `what`: the thing that could not be shown, such as "the list of pages". */
export function Failed({ error, what }: { readonly error: ApiError; readonly what: string }) {
  const offline = error.status === 0;
  return (
    <div class="notice" role="alert">
      <p>
        <strong>{offline ? "The server cannot be reached." : `There was a problem with ${what}.`}</strong>
      </p>
      <p>
        {offline
          ? "Check your connection, and whether the server runs. The page tries again when you are back online."
          : error.message}
      </p>
      <button type="button" onClick={askAgain}>
        Try again
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
      Loading…
    </p>
  );
}
