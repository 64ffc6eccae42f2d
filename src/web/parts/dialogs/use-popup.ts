/** A popover that stands beside its button. */
import { useEffect, useRef } from "preact/hooks";
import { keepPlaced } from "./popup.ts";

/** Returns what keeps a popover beside its button while it is open. `onToggle`: learns whether it is. */
export function usePopup(onToggle?: (isOpen: boolean) => void) {
  const button = useRef<HTMLButtonElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const release = useRef<() => void>(undefined);
  useEffect(() => () => release.current?.(), []);
  const toggled = ({ newState }: { readonly newState: string }) => {
    const isOpen = newState === "open";
    release.current?.();
    release.current =
      isOpen && box.current && button.current ? keepPlaced(box.current, button.current) : undefined;
    onToggle?.(isOpen);
  };
  return { button, box, toggled };
}
