/** A choice of one of several values, with a label. */
import { useId } from "preact/hooks";

interface SelectProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [value: T, label: string])[];
  readonly autofocus?: boolean;
  readonly onChange: (value: T) => void;
}

export function Select<T extends string>({ label, value, options, autofocus, onChange }: SelectProps<T>) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        autofocus={autofocus}
        onChange={(event) => {
          const chosen = options[event.currentTarget.selectedIndex];
          if (chosen !== undefined) onChange(chosen[0]);
        }}
      >
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
