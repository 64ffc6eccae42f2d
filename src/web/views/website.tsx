/** The page of one website: its period and filters, its figures, its chart and its lists. */
import { useState } from "preact/hooks";
import type { NamedSummary } from "../../core/query.ts";
import { address } from "../lib/address.ts";
import { useAnswer } from "../lib/answer.ts";
import type { Website } from "../lib/api.ts";
import { isolated } from "../lib/label.ts";
import {
  operandText,
  questionOf,
  summaryPath,
  unknownFilters,
  withoutGoal,
  type Question,
} from "../lib/question/question.ts";
import { installHref } from "../lib/routes.ts";
import { isMissing, MissingWebsite } from "../parts/missing.tsx";
import { Failed, Loading } from "../parts/notice.tsx";
import { Tool } from "../parts/tool.tsx";
import { Figures } from "../website/figures.tsx";
import { FilterBar, UnknownFilters } from "../website/filter-bar.tsx";
import { FilterEditor } from "../website/filter-editor.tsx";
import { KeysHelp, useKeys } from "../website/keys.tsx";
import { Live } from "../website/live.tsx";
import { PanelCard } from "../website/lists/panel.tsx";
import { panelsOf, properties, propertyValues, type Panel } from "../website/lists/panels.ts";
import { PeriodMenu } from "../website/period-menu.tsx";

export function WebsiteView({ hostname }: { readonly hostname: string }) {
  const { data, error } = useAnswer<Website>(`/websites/${encodeURIComponent(hostname)}`);
  if (isMissing(error)) return <MissingWebsite hostname={hostname} />;
  if (data === undefined) return error === undefined ? <Loading /> : <Failed error={error} what={hostname} />;
  return <Statistics website={data} />;
}

function Statistics({ website }: { readonly website: Website }) {
  const { hostname, visits } = website;
  const { search } = address.value;
  const question = withoutGoal(questionOf(hostname, search, { visits }));
  const [open, setOpen] = useState<"filter" | "keys">();
  useKeys(question, { addFilter: () => setOpen("filter"), help: () => setOpen("keys") });
  const summary = useAnswer<NamedSummary>(summaryPath(question));
  return (
    <>
      <header class="website-head">
        <h1>
          <a href={installHref(hostname)} title="Snippet, rename, remove">
            {hostname}
          </a>
        </h1>
        <Live website={website} />
        <span class="spring" />
        <PeriodMenu question={question} />
        <Tool icon="keyboard" label="Keyboard shortcuts" onClick={() => setOpen("keys")} />
      </header>
      <FilterBar question={question} />
      <UnknownFilters names={unknownFilters(search)} />
      <Figures question={question} summary={summary} />
      <div class="panels">
        {[...panelsOf(visits), propertiesPanel(question)].map((panel) => (
          <PanelCard key={panel.id} panel={panel} question={question} />
        ))}
      </div>
      {open === "filter" && (
        <FilterEditor question={question} index={undefined} onClose={() => setOpen(undefined)} />
      )}
      {open === "keys" && <KeysHelp onClose={() => setOpen(undefined)} />}
    </>
  );
}

/** Returns the panel of properties: names, or the values of one name once it is filtered for. */
function propertiesPanel({ filters }: Question): Panel {
  const named = filters.find(({ name, operator }) => name === "prop_name" && operator === "eq");
  if (named === undefined) return properties;
  const name = operandText("prop_name", named.operands[0] ?? "");
  const tab = { ...propertyValues, label: `Values of ${isolated(name)}` };
  return { ...properties, title: tab.label, tabs: [tab] };
}
