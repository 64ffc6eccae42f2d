/** The preferences that belong to this browser and not to the account. */
import { effect } from "@preact/signals";
import { kept } from "./kept.ts";

export const themes = ["auto", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** `auto` follows the system. */
export const theme = kept<Theme>("footfall.theme", themes, () => localStorage);

/** Whether the keyboard shortcuts of one key each are switched on. */
export const shortcuts = kept<boolean>("footfall.shortcuts", [true, false], () => localStorage);

effect(() => {
  document.documentElement.dataset["theme"] = theme.value;
});
