/** A link, token or the like that was made on the page, which shows its secret once. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface Entry {
  readonly id: string | number;
}

/**
 * Returns what was made, until it is gone from the list that had it. `entries`: the list; undefined while it is not known,
 * and without the new entry until it is asked for again.
 */
export function useMade<T extends Entry>(
  made: T | undefined,
  entries: readonly Entry[] | undefined,
): T | undefined {
  const listed = useRef<T>(undefined);
  if (made === undefined || entries === undefined) return made;
  const isListed = entries.some(({ id }) => id === made.id);
  if (isListed) listed.current = made;
  return isListed || listed.current !== made ? made : undefined;
}

interface MadeProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

/** Shows what was just made, and takes the focus: each needs a `key` of its own. */
export function Made({ label, children }: MadeProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <div ref={box} class="made-link" tabIndex={-1} role="group" aria-label={label}>
      {children}
    </div>
  );
}
