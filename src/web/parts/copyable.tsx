/** A line of text with a button that copies it. */
import { useRef, useState } from "preact/hooks";
import { announce } from "./announcer.tsx";
import { Icon } from "./icon.tsx";
import { t } from "../lib/texts/words.ts";

const copiedMs = 2_000;

interface CopyableProps {
  readonly text: string;
  /** The words of the button. */
  readonly label?: string;
}

/** Copies the text. If the browser does not allow that, the text is selected instead. */
export function Copyable({ text, label = t("Copy") }: CopyableProps) {
  const code = useRef<HTMLElement>(null);
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), copiedMs);
      announce(t("Copied."));
    } catch {
      if (code.current !== null) getSelection()?.selectAllChildren(code.current);
      announce(t("The line is selected: copy it with the keyboard or the menu."));
    }
  };
  return (
    <div class="copyable">
      <pre>
        <code ref={code}>{text}</code>
      </pre>
      <button type="button" onClick={() => void copy()}>
        <Icon name={copied ? "check" : "copy"} />
        {label}
      </button>
    </div>
  );
}
