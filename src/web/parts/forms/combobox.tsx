/**
 * A text field with suggestions, after the ARIA pattern "combobox with a listbox popup, list autocomplete". Any text
 * may be typed; a suggestion only saves typing. The list is a popover, so that no dialog cuts it off.
 */
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { count } from "../../lib/texts/format.ts";
import { optionBeside, type Suggestion } from "../../lib/question/suggestions.ts";
import { keepPlaced } from "../dialogs/popup.ts";
import { t } from "../../lib/texts/words.ts";

export interface ComboboxProps {
  readonly label: string;
  readonly value: string;
  readonly suggestions: readonly Suggestion[];
  /** Whether suggestions are being loaded: those shown belong to an earlier text. */
  readonly loading?: boolean;
  readonly hint?: ComponentChildren;
  readonly placeholder?: string | undefined;
  /** Whether it opens by itself, as the first field of a dialog. */
  readonly opened?: boolean;
  /** The unit of the suggestions' figures. */
  readonly counted?: string;
  readonly onInput: (text: string) => void;
  readonly onPick: (suggestion: Suggestion) => void;
  /** Called for Enter while no suggestion is chosen; without it a form around the field is sent. */
  readonly onEnter?: (() => void) | undefined;
  /** Called when the field is left without a pick. */
  readonly onLeave?: () => void;
}

export function Combobox(props: ComboboxProps) {
  const { label, value, suggestions, hint, placeholder, opened = false, onInput, onLeave } = props;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [open, setOpen] = useState(opened);
  // Kept by value, because better suggestions may arrive in another order while a person chooses.
  const [chosenValue, setChosenValue] = useState<string>();
  const active = suggestions.findIndex(({ value }) => value === chosenValue);
  const shown = open && suggestions.length > 0;
  const chosen = shown ? suggestions[active] : undefined;
  const show = (wanted: boolean, at = -1) => {
    setOpen(wanted);
    setChosenValue(suggestions[at]?.value);
  };
  const pick = (suggestion: Suggestion) => {
    show(false);
    props.onPick(suggestion);
  };
  return (
    <div class="field combobox">
      <label for={id}>{label}</label>
      <input
        ref={input}
        id={id}
        type="text"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={shown}
        aria-controls={shown ? `${id}-list` : undefined}
        aria-activedescendant={chosen && `${id}-${active}`}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        dir="auto"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        placeholder={placeholder}
        autofocus={opened}
        value={value}
        onInput={(event) => {
          onInput(event.currentTarget.value);
          show(true);
        }}
        onKeyDown={(event) => onKey(event, { ...props, shown, active, show, pick })}
        onClick={() => setOpen(true)}
        onBlur={() => {
          show(false);
          onLeave?.();
        }}
      />
      <Notes {...props} id={id} open={open} />
      {shown && <Listbox {...props} id={id} input={input} active={active} pick={pick} />}
    </div>
  );
}

/** The hint below the field, and how many suggestions there are, for people who do not see them. */
function Notes({
  id,
  open,
  hint,
  loading,
  suggestions,
}: ComboboxProps & { readonly id: string; readonly open: boolean }) {
  return (
    <>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <p class="visually-hidden" role="status">
        {open && loading !== true && found(suggestions.length)}
      </p>
    </>
  );
}

function found(number: number): string {
  return number === 0 ? t("No suggestions") : t("{n} suggestion|{n} suggestions", { n: number });
}

interface KeyContext extends ComboboxProps {
  readonly shown: boolean;
  readonly active: number;
  readonly show: (wanted: boolean, at?: number) => void;
  readonly pick: (suggestion: Suggestion) => void;
}

function onKey(event: KeyboardEvent, context: KeyContext): void {
  const { suggestions, shown, opened, active, show, pick, onEnter } = context;
  // While a character is being composed, its keys belong to the input method.
  if (event.isComposing) return;
  const chosen = shown ? suggestions[active] : undefined;
  const enter = (done: () => void) => {
    show(false);
    done();
  };
  const action = {
    ArrowDown: () => show(true, event.altKey ? -1 : optionBeside(active, 1, suggestions.length)),
    ArrowUp: () => (event.altKey ? show(false) : show(true, optionBeside(active, -1, suggestions.length))),
    Escape: shown && !opened && (() => show(false)),
    Enter: chosen === undefined ? onEnter && (() => enter(onEnter)) : () => pick(chosen),
  }[event.key];
  if (!action) return;
  event.preventDefault();
  event.stopPropagation();
  action();
}

interface ListboxProps extends ComboboxProps {
  readonly id: string;
  readonly input: RefObject<HTMLInputElement | null>;
  readonly active: number;
  readonly pick: (suggestion: Suggestion) => void;
}

/** The list of suggestions, which is open as long as it is rendered. */
function Listbox({ id, input, label, suggestions, counted, active, pick, loading }: ListboxProps) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const [popup, field] = [list.current, input.current];
    if (popup === null || field === null) return;
    popup.showPopover();
    popup.style.width = `${field.offsetWidth}px`;
    return keepPlaced(popup, field);
  }, []);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    <ul
      ref={list}
      id={`${id}-list`}
      class="menu listbox"
      role="listbox"
      popover="manual"
      aria-label={label}
      aria-busy={loading}
      // The field keeps the focus: a click on the list, or a drag of its scroll bar, does not leave the field.
      onMouseDown={(event) => event.preventDefault()}
    >
      {suggestions.map((suggestion, at) => (
        <li
          key={suggestion.value}
          id={`${id}-${at}`}
          role="option"
          aria-selected={at === active}
          title={suggestion.text}
          onClick={() => pick(suggestion)}
        >
          {suggestion.kind !== undefined && <span class="weak kind">{suggestion.kind}</span>}
          <span class="cut" dir="auto">
            {suggestion.text}
          </span>
          {suggestion.count !== undefined && (
            <span class="weak number">
              {count(suggestion.count)}
              <span class="visually-hidden"> {counted}</span>
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
