/** A labelled field of a form for several lines of text. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface LinesProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly hint: ComponentChildren;
  readonly onInput: (value: string) => void;
}

export function Lines({ label, name, value, hint, onInput }: LinesProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        name={name}
        rows={2}
        value={value}
        aria-describedby={`${id}-hint`}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  );
}
