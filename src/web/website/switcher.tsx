/** A list that one types into, by a key or a button: it leads to another website, to a page or period, or filters. */
import { useMemo, useState } from "preact/hooks";
import type { AnyRow } from "../../core/questions/answer.ts";
import { navigate } from "../lib/address.ts";
import { useAnswer } from "../lib/answer.ts";
import type { Website } from "../lib/api.ts";
import { destinationsOf } from "../lib/question/destinations.ts";
import type { Question } from "../lib/question/question.ts";
import { suggestionsPath } from "../lib/question/suggestions.ts";
import { Combobox } from "../parts/forms/combobox.tsx";
import { Dialog } from "../parts/dialogs/dialog.tsx";
import { t } from "../lib/texts/words.ts";

interface SwitcherProps {
  readonly question: Question;
  readonly onClose: () => void;
}

export function Switcher({ question, onClose }: SwitcherProps) {
  const [typed, setTyped] = useState("");
  const { data: websites = [] } = useAnswer<readonly Website[]>("/websites");
  const search = typed.trim();
  const valuesOf = (name: "path" | "referrer" | "country") =>
    useAnswer<readonly AnyRow[]>(search === "" ? null : suggestionsPath(question, name, search));
  const [path, referrer, country] = [valuesOf("path"), valuesOf("referrer"), valuesOf("country")];
  const loading = search !== "" && [path, referrer, country].some((answer) => answer.loading);
  const found = {
    path: path.data ?? [],
    referrer: referrer.data ?? [],
    country: country.data ?? [],
  };
  const destinations = useMemo(
    () => destinationsOf(question, websites, loading ? undefined : found, typed),
    [question, websites, path.data, referrer.data, country.data, loading, typed],
  );
  const go = (href: string) => {
    onClose();
    navigate(href);
  };
  return (
    <Dialog title={t("Go to")} onClose={onClose}>
      <Combobox
        label={t("Website, page, period or filter")}
        placeholder={t("Type to search")}
        opened
        value={typed}
        suggestions={destinations}
        loading={loading}
        counted={t("visitors")}
        onInput={setTyped}
        onPick={({ value }) => go(value)}
        onEnter={() => {
          const [first] = destinations;
          if (first !== undefined) go(first.value);
        }}
      />
    </Dialog>
  );
}
