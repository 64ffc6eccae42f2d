/** A button that shows only an icon. */
import { Icon, type IconName } from "./icon.tsx";

interface ToolProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: (() => void) | undefined;
  /** Whether it is of use only to whoever has a keyboard. */
  readonly isForKeys?: boolean;
}

/** The button stays in the page if it has nothing to do, so that the focus is not lost. */
export function Tool({ icon, label, onClick, isForKeys = false }: ToolProps) {
  return (
    <button
      type="button"
      class={`plain icon-button${isForKeys ? " for-keys" : ""}`}
      aria-label={label}
      title={label}
      aria-disabled={onClick === undefined}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
