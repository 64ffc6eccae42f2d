/** Tables of entries that end with a button each: sessions, links, accounts. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { askAgain } from "../../lib/answer.ts";
import { announce } from "../announcer.tsx";
import { Deletion, type Deleted } from "../dialogs/removal.tsx";
import { FormError, useSubmission } from "../forms/form.tsx";
import { focusHeading, headingOf } from "../section.tsx";

interface EntryTableProps {
  readonly caption: string;
  readonly columns: readonly string[];
  /** The head of the column of buttons, for screen readers. */
  readonly tool: string;
  /** Whether a narrow screen has no room for its cells beside each other. */
  readonly stacked?: boolean;
  /** The error of the last attempt to change an entry, where the rows do not show their own. */
  readonly error?: string | undefined;
  /** The rows. */
  readonly children: ComponentChildren;
}

export function EntryTable(props: EntryTableProps) {
  const { caption, columns, tool, stacked = columns.length > 2, error, children } = props;
  return (
    <>
      <table class={stacked ? "entries stacked" : "entries"}>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
            <th scope="col">
              <span class="visually-hidden">{tool}</span>
            </th>
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
      <FormError error={error} />
    </>
  );
}

interface EntryCellProps {
  /** The head of its column, which stands before it where cells are stacked. */
  readonly column: string;
  readonly class?: string;
  readonly dir?: "auto";
  readonly children: ComponentChildren;
}

/** A cell of a table that is stacked on a narrow screen, for which its columns are too many. */
export function EntryCell({ column, children, ...cell }: EntryCellProps) {
  return (
    <td {...cell} data-column={column}>
      {children}
    </td>
  );
}

interface EntryToolProps {
  /** The name of the button, which says what it is about. */
  readonly label: string;
  readonly text: string;
  readonly onPress: (button: Element) => void;
  /** Other buttons before it. */
  readonly children?: ComponentChildren;
}

/** The last cell of a row. */
export function EntryTool({ label, text, onPress, children }: EntryToolProps) {
  return (
    <td class="row-tools">
      {children}
      <button type="button" aria-label={label} onClick={(event) => onPress(event.currentTarget)}>
        {text}
      </button>
    </td>
  );
}

/**
 * Asks before an entry is deleted. `button`: one that vanishes with the entry, so that the focus moves to the heading, or
 * to `next`.
 */
export type Ask = (button: Element, deleted: Deleted, next?: HTMLElement | null) => void;

/**
 * Returns a function that asks, and the dialog by which it does. It is for what stays when the last entry is deleted and
 * its table vanishes.
 */
export function useEntryDeletion() {
  const [asked, setAsked] = useState<Deleted & { readonly next: HTMLElement | null }>();
  /** Gets the focus once an entry is deleted. */
  const left = useRef<HTMLElement | null>(null);
  useLayoutEffect(() => {
    // The dialog gave the focus back to the button.
    if (asked !== undefined || left.current === null) return;
    left.current.focus();
    left.current = null;
  }, [asked]);
  const ask: Ask = (button, deleted, next = headingOf(button)) => setAsked({ ...deleted, next });
  const dialog = asked && (
    <Deletion
      {...asked}
      onClose={() => setAsked(undefined)}
      onDeleted={() => {
        left.current = asked.next;
      }}
    />
  );
  return { ask, dialog };
}

/** Returns a function that changes entries and says what is done, and the error of the last attempt. */
export function useEntryChanges() {
  const { error, run } = useSubmission();
  /** `button`: one that may vanish with its row, so that the focus moves to the heading. */
  const change = (work: () => Promise<unknown>, done: string, button?: Element) =>
    void run(async () => {
      try {
        await work();
        if (button !== undefined) focusHeading(button);
        announce(done);
      } finally {
        askAgain();
      }
    });
  return { error, change };
}
