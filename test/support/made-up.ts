/**
 * A made-up language in a real page: it is written from right to left, each word is half as long again as in English, and
 * no letter is Latin, so that a text that nobody translates is seen. The page loads it in place of German.
 */
import type { Tab } from "./chromium.ts";

const replaceWords = `
  const letters = "אבגדהוזחטיכלמנסעפצקרשתבגדה";
  const word = (text) => [...text + text.slice(0, Math.ceil(text.length / 2))]
    .map((letter) => letters[letter.toLowerCase().charCodeAt(0) - 97]).join("");
  const said = (text) => text.normalize("NFD").replace(/\\p{M}/gu, "").replaceAll("ß", "ss").split(/(\\{\\w+\\})/)
    .map((piece, at) => at % 2 === 0 ? piece.replace(/[A-Za-z]+/g, word) : piece).join("");
  const own = { ltr: "rtl", "lower case": "lower case" };
  const inWords = (words) => Object.fromEntries(Object.keys(words).map((text) => [text, own[text] ?? said(text)]));
  const files = {
    words: inWords,
    more: (parts) => Object.fromEntries(Object.entries(parts).map(([part, words]) => [part, inWords(words)])),
    definitions: (terms) => Object.fromEntries(Object.entries(terms).map(([term, texts]) =>
      [term, Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, said(text)]))])),
  };
  const ask = self.fetch;
  self.fetch = async (path, ...more) => {
    const answer = await ask(path, ...more);
    const [, file] = /^\\/dashboard\\/(words|more|definitions)\\/de\\.json/.exec(path) ?? [];
    return file === undefined ? answer : Response.json(files[file](await answer.json()));
  };
`;

/** From the next page on, German is the made-up language. */
export async function speakMadeUp(tab: Tab): Promise<void> {
  await tab.call("Page.addScriptToEvaluateOnNewDocument", { source: `{${replaceWords}}` });
}

/** The words that the demo's visitors bring along, and those that no language translates. */
const data =
  "Footfall A API Bluesky GitHub email newsletter Android Apple Bing Chrome CSV Discord DuckDuckGo Edge Firefox Google Hacker News Intern Japan Linux Mac Reddit " +
  "Safari Slack UTC Windows a ada b com blog example free from github http iOS k localhost new none note november ntfy org pixels plan prices " +
  "pro s shop team und Uhr www x";

/**
 * Returns the words of the page that are neither made up nor data: in texts, and in the names of elements. Dates are in
 * German, for the language has no form of its own.
 */
export function latinWords(tab: Tab): Promise<string[]> {
  return tab.evaluate(`(() => {
    const known = new Set(${JSON.stringify(data.split(" "))});
    const days = Array.from({ length: 366 }, (_, day) => new Date(2_024, 0, day + 1));
    for (const style of ["long", "short"])
      for (const day of days) for (const word of day
        .toLocaleDateString("de", { weekday: style, month: style, day: "numeric" }).match(/\\p{L}+/gu)) known.add(word);
    const texts = [];
    const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (nodes.nextNode()) {
      const { data, parentElement } = nodes.currentNode;
      if (!parentElement.closest("code, pre, kbd, script, noscript, option[lang], textarea")) texts.push(data);
    }
    for (const name of ["aria-label", "title", "placeholder", "alt", "aria-roledescription"])
      for (const element of document.querySelectorAll("[" + name + "]")) texts.push(element.getAttribute(name));
    const words = texts.flatMap((text) => text.replace(/(https?:)?\\/[\\w.:%/-]*/g, "").match(/[A-Za-zäöüÄÖÜß]+/g) ?? []);
    return [...new Set(words.filter((word) => !known.has(word)))];
  })()`);
}

interface Control {
  readonly role?: { readonly value: string };
  readonly name?: { readonly value: string };
  readonly ignored: boolean;
  readonly properties?: readonly { readonly name: string; readonly value: { readonly value?: unknown } }[];
}

/** Returns the roles of what can have the focus and has no name for a screen reader. */
export async function unnamedControls(tab: Tab): Promise<string[]> {
  const { nodes } = await tab.call<{ nodes: readonly Control[] }>("Accessibility.getFullAXTree");
  return nodes
    .filter(({ ignored, properties = [], role }) => {
      const takesFocus = properties.some(({ name, value }) => name === "focusable" && value.value === true);
      return (
        takesFocus && !ignored && !["RootWebArea", "dialog", "main", "generic"].includes(role?.value ?? "")
      );
    })
    .filter(({ name }) => (name?.value ?? "").trim() === "")
    .map(({ role }) => role?.value ?? "");
}
