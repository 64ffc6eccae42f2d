/** Whether the window is narrow, as on a phone: the limit is the one of the styles. */
import { signal } from "@preact/signals";

/** Returns whether the window is at most this wide. */
export function windowUpTo(width: string) {
  const query = matchMedia(`(max-width: ${width})`);
  const isUpTo = signal(query.matches);
  query.addEventListener("change", () => {
    isUpTo.value = query.matches;
  });
  return isUpTo;
}

export const narrow = windowUpTo("30rem");
