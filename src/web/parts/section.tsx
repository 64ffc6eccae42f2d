/** A part of a view with a heading of its own. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface SectionProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

export function Section({ title, children }: SectionProps) {
  const id = useId();
  return (
    <section class="card section" aria-labelledby={id}>
      <h2 id={id} tabIndex={-1}>
        {title}
      </h2>
      {children}
    </section>
  );
}

/** Returns the heading of the section that an element is in. */
export function headingOf(element: Element | null): HTMLElement | null {
  return element?.closest("section")?.querySelector("h2") ?? null;
}

/** Puts the focus on the heading above an element that is about to vanish, where it would be lost. */
export function focusHeading(element: Element | null): void {
  headingOf(element)?.focus();
}

/** Shows the section that an element is in to somebody who came for it. */
export function showSection(element: Element | null): void {
  element?.closest("section")?.scrollIntoView();
  focusHeading(element);
}
