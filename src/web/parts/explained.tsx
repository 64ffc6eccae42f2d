/** A button that explains a figure where it stands: a few words, and a link to all definitions. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { definitionOf, type Term } from "../../core/definition.ts";
import { route } from "../lib/address.ts";
import { definitionHref } from "../lib/routes.ts";
import { Icon } from "./icon.tsx";
import { keepPlaced } from "./popup.ts";
import { t } from "../lib/words.ts";

interface ExplainedProps {
  readonly term: Term;
  /** The button shows it: the label of the figure. */
  readonly children: ComponentChildren;
}

/** Makes the label of a figure the button. */
export function Explained({ term, children }: ExplainedProps) {
  return <Explanation term={term} look={{ class: "term" }} shown={children} />;
}

/** Stands beside a label that is a link already. */
export function ExplainedBeside({ term, label }: { readonly term: Term; readonly label: string }) {
  const look = { class: "plain icon-button explain", "aria-label": `What “${label}” means` };
  return <Explanation term={term} look={look} shown={<Icon name="help" />} />;
}

interface ExplanationProps {
  readonly term: Term;
  readonly look: Readonly<Record<string, string>>;
  readonly shown: ComponentChildren;
}

/** The words follow their button, so that the next Tab leads to the link in them; Escape closes them. */
function Explanation({ term, look, shown }: ExplanationProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const release = useRef<() => void>(undefined);
  useEffect(() => () => release.current?.(), []);
  return (
    <>
      <button ref={button} type="button" popovertarget={id} {...look}>
        {shown}
      </button>
      <div
        ref={box}
        id={id}
        popover="auto"
        class="menu explanation"
        role="note"
        onToggle={({ newState }) => {
          release.current?.();
          const [popup, anchor] = [box.current, button.current];
          release.current = newState === "open" && popup && anchor ? keepPlaced(popup, anchor) : undefined;
        }}
      >
        <p>{definitionOf(term)}</p>
        {route.value.view !== "shared" && <a href={definitionHref(term)}>{t("All definitions")}</a>}
      </div>
    </>
  );
}
