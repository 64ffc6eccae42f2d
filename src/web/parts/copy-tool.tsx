/** A button that copies a text, which stands elsewhere. */
import { announce } from "./announcer.tsx";
import { Tool } from "./tool.tsx";
import { t } from "../lib/texts/words.ts";

/** `label`: the text as people read it. */
export function CopyTool({ text, label }: { readonly text: string; readonly label: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      announce(t("Copied."));
    } catch {
      announce(t("The browser does not allow to copy."));
    }
  };
  return <Tool icon="copy" label={t("Copy {what}", { what: label })} onClick={() => void copy()} />;
}
