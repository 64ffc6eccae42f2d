/** A choice of one of several values, with a label. */
import { useId } from "preact/hooks";

interface SelectProps<T extends string> {
  readonly label: string;
  /** The name of its field in a form. */
  readonly name?: string;
  /** The value at every rendering; without it the browser keeps what is chosen. */
  readonly value?: T;
  readonly options: readonly (readonly [value: T, label: string])[];
  readonly autofocus?: boolean;
  readonly onChange?: (value: T) => void;
}

export function Select<T extends string>({ label, options, onChange, ...select }: SelectProps<T>) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        {...select}
        id={id}
        onChange={(event) => {
          const chosen = options[event.currentTarget.selectedIndex];
          if (chosen !== undefined) onChange?.(chosen[0]);
        }}
      >
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
