/** Explains how a website counts more than page views. */
import { settingsHref } from "../lib/routes.ts";
import { Section } from "../parts/section.tsx";
import { rich, t } from "../lib/texts/words.ts";

export function Events() {
  return (
    <Section title={t("Count events of your own")}>
      <p>
        {rich(
          "Call {footfall} from a script of your pages: the first argument names the event, the second may give it properties. Both appear under Properties.",
          { footfall: <code>footfall</code> },
        )}
      </p>
      <pre>{`self.footfall?.("signup")\nself.footfall?.("signup", { plan: "pro" })`}</pre>
      <p>
        {rich(
          "A page whose script is blocked or still to come has no {footfall}: written like this, the call does nothing there, and breaks no form.",
          { footfall: <code>footfall</code> },
        )}
      </p>
      <p>
        {rich(
          "Give an order its number as an id, with something that nobody guesses: {example}. Then it counts once for two days at least, also if its page is reloaded.",
          { example: <code>{'self.footfall?.("order", { price: 31 }, "4711-x7Gq")'}</code> },
        )}
      </p>
      <p>
        {rich(
          "A goal sums up amounts that are sent as numbers: {example}. Attributes of a page, such as {attribute}, send text.",
          {
            example: <code>{'self.footfall?.("buy", { price: 31 })'}</code>,
            attribute: <code>data-footfall-click</code>,
          },
        )}
      </p>
      <p>
        {rich(
          "A script within the page needs {type}: it runs after the tracker then. Recipes for orders, searches, forms and more are in {page} of Footfall’s source.",
          { type: <code>{'type="module"'}</code>, page: <code>docs/events.md</code> },
        )}
      </p>
      <p>
        {rich("Clicks, outbound links, downloads and properties of pages need no script of yours: {link}.", {
          link: <a href={settingsHref}>{t("switch them on in the settings")}</a>,
        })}
      </p>
    </Section>
  );
}
