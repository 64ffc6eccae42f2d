/** The focus once a dialog has changed the entries of the page below it. */
import { useEffect, useRef } from "preact/hooks";

/**
 * Returns the button that gets the focus where it is lost: once an entry is saved or removed, its own button vanishes.
 * `isOpen`: whether a dialog is open; `entries`: another value when other entries are shown, such as how many there are.
 */
export function useFocusKept(isOpen: boolean, entries: number | string | undefined) {
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  wasOpen.current ||= isOpen;
  useEffect(() => {
    if (wasOpen.current && document.activeElement === document.body) button.current?.focus();
    wasOpen.current = isOpen;
  }, [entries]);
  return button;
}
