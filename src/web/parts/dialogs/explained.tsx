/** A button that explains a figure where it stands: a few words, and a link to all definitions. */
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import type { Term } from "../../../core/definition.ts";
import { route } from "../../lib/address.ts";
import { useDefinitions } from "../../lib/texts/definitions.ts";
import { definitionHref } from "../../lib/routes.ts";
import { Icon } from "../icon.tsx";
import { Failed, Loading } from "../notice.tsx";
import { usePopup } from "./use-popup.ts";
import { t } from "../../lib/texts/words.ts";

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
  const look = { class: "plain icon-button explain", "aria-label": t("What “{label}” means", { label }) };
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
  const [open, setOpen] = useState(false);
  const { button, box, toggled } = usePopup(setOpen);
  return (
    <>
      <button ref={button} type="button" popovertarget={id} {...look}>
        {shown}
      </button>
      <div ref={box} id={id} popover="auto" class="menu explanation" role="note" onToggle={toggled}>
        {open && <Meaning term={term} />}
        {route.value.view !== "shared" && <a href={definitionHref(term)}>{t("All definitions")}</a>}
      </div>
    </>
  );
}

function Meaning({ term }: Pick<ExplainedProps, "term">) {
  const { data, error } = useDefinitions();
  if (error !== undefined) return <Failed error={error} what={t("the definitions")} />;
  return data === undefined ? <Loading /> : <p>{data[term].text}</p>;
}
