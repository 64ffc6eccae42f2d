/** A checkbox of a form, with a label and a hint. */
import { useId } from "preact/hooks";

interface CheckboxProps {
  readonly label: string;
  readonly hint: string;
  readonly name: string;
  /** The state at every rendering; `defaultChecked` is only the initial one. */
  readonly checked?: boolean;
  readonly defaultChecked?: boolean;
  readonly onChange?: (checked: boolean) => void;
}

export function Checkbox({ label, hint, onChange, ...input }: CheckboxProps) {
  const id = useId();
  return (
    <div class="feature">
      <input
        type="checkbox"
        {...input}
        id={id}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange?.(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  );
}
