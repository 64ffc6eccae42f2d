/** Links to the parts of a long view, by their headings. */
import { useLayoutEffect, useState } from "preact/hooks";
import { t } from "../lib/texts/words.ts";

interface Heading {
  readonly id: string;
  readonly title: string;
}

/** Stands before the sections of the same view, which are there from its first rendering on. */
export function Contents() {
  const [headings, setHeadings] = useState<readonly Heading[]>([]);
  // Before the first frame: on a phone the links take lines, by which the sections would move down.
  useLayoutEffect(() => {
    const found = document.querySelectorAll("main > section > h2");
    setHeadings([...found].map(({ id, textContent }) => ({ id, title: textContent })));
  }, []);
  return (
    <nav class="contents" aria-label={t("On this page")}>
      {headings.map(({ id, title }) => (
        <a key={id} href={`#${id}`}>
          {title}
        </a>
      ))}
    </nav>
  );
}
