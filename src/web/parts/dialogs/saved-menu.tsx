/** A menu of what was saved under names: links that show it, and buttons that remove it. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { isolated, label } from "../../../core/questions/label.ts";
import { isPlainClick } from "../../lib/address.ts";
import { Icon } from "../icon.tsx";
import { Tool } from "../tool.tsx";
import { usePopup } from "./use-popup.ts";

export interface SavedEntry {
  readonly id: number;
  readonly name: string;
  /** Says what is saved. */
  readonly title: string;
  readonly href: string;
  /** Whether it is what is shown now. */
  readonly isShown: boolean;
}

interface SavedMenuProps {
  /** The button shows it. */
  readonly shown: ComponentChildren;
  readonly plain?: boolean;
  /** The names of the menu and of its list. */
  readonly label: string;
  readonly listLabel: string;
  readonly entries: readonly SavedEntry[];
  /** Stands in the place of a list without entries. */
  readonly none?: string;
  /** Returns the label of the button that removes the entry with this name. */
  readonly removal: (name: string) => string;
  /** Removes an entry; undefined for readers who may remove none. */
  readonly onRemove: ((entry: SavedEntry) => void) | undefined;
  /** A last line of the menu that saves what is shown; undefined for none. */
  readonly save?: { readonly label: string; readonly onClick: () => void } | undefined;
}

/** Shows the entries by name. The menu is closed before anything else opens. */
export function SavedMenu(props: SavedMenuProps) {
  const { entries, save } = props;
  const id = useId();
  const { button, box, toggled } = usePopup();
  const close = () => box.current?.hidePopover();
  return (
    <>
      <button ref={button} type="button" class={props.plain ? "plain" : undefined} popovertarget={id}>
        {props.shown}
        <Icon name="down" />
      </button>
      <div
        ref={box}
        id={id}
        class="menu saved-menu"
        popover="auto"
        role="group"
        aria-label={props.label}
        onToggle={toggled}
      >
        {entries.length === 0 ? <p class="weak">{props.none}</p> : <Entries {...props} onPick={close} />}
        {save && (
          <button
            type="button"
            aria-haspopup="dialog"
            onClick={() => {
              close();
              save.onClick();
            }}
          >
            <Icon name="add" /> {save.label}
          </button>
        )}
      </div>
    </>
  );
}

interface EntriesProps extends SavedMenuProps {
  readonly onPick: () => void;
}

function Entries({ listLabel, entries, removal, onRemove, onPick }: EntriesProps) {
  const byName = entries.toSorted((a, b) => a.name.localeCompare(b.name));
  return (
    <ul aria-label={listLabel}>
      {byName.map((entry) => (
        <li key={entry.id}>
          <a
            href={entry.href}
            title={entry.title}
            aria-current={entry.isShown ? "true" : undefined}
            onClick={(event) => {
              if (isPlainClick(event)) onPick();
            }}
          >
            <span class="cut" dir="auto">
              {label(entry.name)}
            </span>
          </a>
          {onRemove && (
            <Tool
              icon="close"
              label={removal(isolated(label(entry.name)))}
              onClick={() => {
                onPick();
                onRemove(entry);
              }}
            />
          )}
        </li>
      ))}
    </ul>
  );
}
