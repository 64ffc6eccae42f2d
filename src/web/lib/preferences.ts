/** What is a matter of this browser and not of the account. */
import { effect } from "@preact/signals";
import { kept } from "./kept.ts";

export const themes = ["auto", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** `auto`: as the system. */
export const theme = kept<Theme>("footfall.theme", themes, () => localStorage);

/** Whether single keys do something. */
export const shortcuts = kept<boolean>("footfall.shortcuts", [true, false], () => localStorage);

effect(() => {
  document.documentElement.dataset["theme"] = theme.value;
});
