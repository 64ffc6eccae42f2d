/** The flag of a country, or the mark of a browser, system or device. All are one asset, which is asked for once. */
import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { call } from "../lib/api.ts";

/** An SVG, or the path data of one in a square of 24, by the names that rows have. */
const marks = signal<Readonly<Record<string, string>> | undefined>(undefined);
let asked = false;

/** Its place is there before the mark is, and stays empty for a name without one. */
export function Mark({ name }: { readonly name: string }) {
  useLayoutEffect(() => {
    if (asked) return;
    asked = true;
    // A page without marks says all that it has to say; the next one asks again.
    call<Readonly<Record<string, string>>>("GET", "/dashboard/marks.json").then(
      (all) => {
        marks.value = all;
      },
      () => {
        asked = false;
      },
    );
  }, []);
  const mark = marks.value?.[name];
  return (
    <span class="mark">
      {mark?.startsWith("<") ? (
        <img alt="" src={`data:image/svg+xml,${encodeURIComponent(mark)}`} />
      ) : (
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d={mark} />
        </svg>
      )}
    </span>
  );
}
