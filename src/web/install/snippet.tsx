/** The line to put into the pages, with instructions. */
import { useRef, useState } from "preact/hooks";
import { scriptName } from "../lib/set-up/script-name.ts";
import { isLocal, snippetOf } from "../lib/set-up/snippet.ts";
import { announce } from "../parts/announcer.tsx";
import { Icon } from "../parts/icon.tsx";
import { Section } from "../parts/section.tsx";

export function Snippet({ hostname }: { readonly hostname: string }) {
  return (
    <Section title="Put this line into your pages">
      <Copyable text={snippetOf(location.origin, scriptName, hostname)} />
      {isLocal(location.hostname) && (
        <p>
          {location.host} works on this machine only: in pages that others visit, write the address under
          which they reach Footfall.
        </p>
      )}
      <ol class="points">
        <li>Copy it into the head of every page, before the closing head tag. It works on any website.</li>
        <li>
          WordPress, Ghost, Shopify, Squarespace and the like have a field for code in the head of all pages,
          often called “code injection” or “custom code”; for some it is a plugin.
        </li>
        <li>Publish, and open a page of the website. A single-page application needs nothing more.</li>
      </ol>
      <p>
        To count nobody whose browser sends Do Not Track or Global Privacy Control, add <code>data-dnt</code>{" "}
        to the tag: <code>{"<script defer data-dnt src=…"}</code>
      </p>
    </Section>
  );
}

const copiedMs = 2_000;

/** Copies the text. If the browser does not allow that, the text is selected instead. */
function Copyable({ text }: { readonly text: string }) {
  const code = useRef<HTMLElement>(null);
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), copiedMs);
      announce("Copied.");
    } catch {
      if (code.current !== null) getSelection()?.selectAllChildren(code.current);
      announce("The line is selected: copy it with the keyboard or the menu.");
    }
  };
  return (
    <div class="copyable">
      <pre>
        <code ref={code}>{text}</code>
      </pre>
      <button type="button" onClick={() => void copy()}>
        <Icon name={copied ? "check" : "copy"} />
        Copy
      </button>
    </div>
  );
}
