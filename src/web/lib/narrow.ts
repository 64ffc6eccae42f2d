/** Whether the window is narrow, as on a phone: the limit is the one of the styles. */
import { signal } from "@preact/signals";

const query = matchMedia("(max-width: 30rem)");

export const narrow = signal(query.matches);

query.addEventListener("change", () => {
  narrow.value = query.matches;
});
