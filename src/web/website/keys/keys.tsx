/** Keyboard shortcuts of one key each for frequent actions. */
import { useLayoutEffect } from "preact/hooks";
import { navigate } from "../../lib/address.ts";
import { shortcuts } from "../../lib/preferences.ts";
import { questionHref, type Question } from "../../lib/question/question.ts";
import { announce } from "../../parts/announcer.tsx";
import { keyRow, keysFor, type ActionName } from "./key-table.ts";
import { openPeriodMenu } from "../period-menu.tsx";

/** The page's functions for keys that open something. */
export type KeyActions = Readonly<Record<Exclude<ActionName, "customPeriod">, () => void>>;

export function useKeys(question: Question, actions: KeyActions): void {
  // An effect after the next paint would be too late: a second key pressed before it would belong to the view before.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const row = isOurs(event) ? keyRow(event, keysFor(question)) : undefined;
      if (row === undefined) return;
      event.preventDefault();
      if (row.action !== undefined) ({ customPeriod: openPeriodMenu, ...actions })[row.action]();
      const href = row.href?.(question, Date.now());
      if (href === undefined || href === questionHref(question)) return;
      navigate(href);
      announce(row.does);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });
}

/** Returns whether a key is a shortcut: not while somebody types, and not while a dialog or popover covers the page. */
function isOurs({ target, defaultPrevented, isComposing }: KeyboardEvent): boolean {
  const writes = target instanceof Element && target.closest("input, select, textarea, [contenteditable]");
  const covered = document.querySelector("dialog[open], :popover-open");
  return shortcuts.value && !writes && !covered && !defaultPrevented && !isComposing;
}
