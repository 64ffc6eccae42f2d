/** Shortcuts with a single key for frequent actions, and the dialog that lists them and switches them off. */
import { useLayoutEffect } from "preact/hooks";
import { navigate } from "../lib/address.ts";
import { shortcuts } from "../lib/preferences.ts";
import { questionHref, type Question } from "../lib/question/question.ts";
import { announce } from "../parts/announcer.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { keyRow, keysFor, type ActionName } from "./key-table.ts";
import { openPeriodMenu } from "./period-menu.tsx";
import { t } from "../lib/words.ts";

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

interface KeysHelpProps {
  readonly question: Question;
  readonly onClose: () => void;
}

export function KeysHelp({ question, onClose }: KeysHelpProps) {
  return (
    <Dialog title={t("Keyboard shortcuts")} onClose={onClose}>
      <label class="switch">
        <input
          type="checkbox"
          role="switch"
          checked={shortcuts.value}
          onChange={(event) => {
            shortcuts.value = event.currentTarget.checked;
          }}
        />
        {t("Enable keyboard shortcuts")}
      </label>
      <table class="keys">
        <caption class="visually-hidden">{t("Shortcuts on a website's page")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("Key")}</th>
            <th scope="col">{t("Action")}</th>
          </tr>
        </thead>
        <tbody>
          {keysFor(question).map(({ key, does }) => (
            <tr key={key}>
              <th scope="row">
                <kbd>{key}</kbd>
              </th>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}
