/**
 * Says whether an element can be seen now or soon, so that a long list asks only for the rows that somebody looks at.
 */
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/** An element this far outside of the window counts as seen: answers arrive while a person scrolls. */
const margin = "200px";

export function useOnScreen(ref: RefObject<Element | null>): boolean {
  const [onScreen, setOnScreen] = useState(false);
  useEffect(() => {
    if (ref.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => setOnScreen(entries.some(({ isIntersecting }) => isIntersecting)),
      { rootMargin: margin },
    );
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return onScreen;
}
