/** The page of one website: its period and filters, its figures, its chart and its lists. */
import { useState } from "preact/hooks";
import type { Summary } from "../../core/query.ts";
import { address, navigate } from "../lib/address.ts";
import { useAnswer } from "../lib/answer.ts";
import { csv } from "../lib/csv.ts";
import { download } from "../lib/download.ts";
import { isolated, label } from "../lib/label.ts";
import { spanOf, stepped } from "../lib/calendar/period.ts";
import {
  earlierTotalsPath,
  intervalOf,
  operandText,
  questionHref,
  questionOf,
  summaryPath,
  unknownFilters,
  type Question,
} from "../lib/question/question.ts";
import { installHref } from "../lib/routes.ts";
import { endOf } from "../lib/calendar/intervals.ts";
import { dateIn, parseDate } from "../lib/calendar/zone.ts";
import { isMissing, MissingWebsite } from "../parts/missing.tsx";
import { Failed, Loading } from "../parts/notice.tsx";
import { Tool } from "../parts/tool.tsx";
import { Chart } from "../website/chart/chart.tsx";
import { FilterBar } from "../website/filter-bar.tsx";
import { FilterEditor } from "../website/filter-editor.tsx";
import { KeysHelp, useKeys } from "../website/keys.tsx";
import { fileName } from "../website/lists/list.ts";
import { Live } from "../website/live.tsx";
import { PanelCard } from "../website/lists/panel.tsx";
import { panels, properties, propertyValues, type Panel } from "../website/lists/panels.ts";
import { PeriodMenu } from "../website/period-menu.tsx";
import { Tiles } from "../website/tiles.tsx";

export function WebsiteView({ hostname }: { readonly hostname: string }) {
  const { search } = address.value;
  const question = questionOf(hostname, search);
  const [open, setOpen] = useState<"filter" | "keys">();
  useKeys(question, { addFilter: () => setOpen("filter"), help: () => setOpen("keys") });
  const summary = useAnswer<Summary>(summaryPath(question));
  if (isMissing(summary.error)) return <MissingWebsite hostname={hostname} />;
  return (
    <>
      <header class="website-head">
        <h1>
          <a href={installHref(hostname)} title="Snippet, rename, remove">
            {hostname}
          </a>
        </h1>
        <Live hostname={hostname} />
        <span class="spring" />
        <PeriodMenu question={question} />
        <Tool icon="keyboard" label="Keyboard shortcuts" onClick={() => setOpen("keys")} />
      </header>
      <FilterBar question={question} />
      <UnknownFilters names={unknownFilters(search)} />
      <Figures question={question} summary={summary} />
      <div class="panels">
        {[...panels, propertiesPanel(question)].map((panel) => (
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

function UnknownFilters({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <p class="notice" role="alert">
      This link has filters that are not known, and are left out: {names.map(label).map(isolated).join(", ")}
    </p>
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

interface FiguresProps {
  readonly question: Question;
  readonly summary: ReturnType<typeof useAnswer<Summary>>;
}

function Figures({ question, summary }: FiguresProps) {
  const nowMs = Date.now();
  const { zone, period, compare, metric } = question;
  const earlier = compare ? stepped(period, zone, nowMs, -1) : undefined;
  const interval = intervalOf(question, spanOf(period, zone, nowMs));
  const before = useAnswer<Summary>(
    earlier === undefined ? null : summaryPath({ ...question, period: earlier, interval }),
  );
  const totalsBefore = useAnswer<Summary>(
    earlier === undefined ? null : earlierTotalsPath(question, earlier, nowMs),
  );
  if (summary.error !== undefined)
    return (
      <section class="card">
        <Failed error={summary.error} what="the figures" />
      </section>
    );
  const { data, loading } = summary;
  const compared = compare ? before.data : undefined;
  const showInterval = (date: string) => {
    const from = parseDate(date.slice(0, 10));
    if (from === undefined) return;
    const to = dateIn(zone, endOf(date, interval, zone) - 1);
    navigate(questionHref({ ...question, interval: undefined, period: { name: "custom", from, to } }));
  };
  const picks = interval !== "hour" && interval !== "minute";
  return (
    <section class="card figures" aria-label="Figures of the period" aria-busy={loading}>
      <Tiles
        question={question}
        totals={data?.current}
        before={compare ? totalsBefore.data?.current : undefined}
      />
      {data?.interval === undefined ? (
        <Loading />
      ) : (
        <Chart
          current={data.interval}
          before={compared?.interval}
          metric={metric}
          interval={interval}
          zone={zone}
          {...(picks && { onPick: showInterval })}
        />
      )}
      <div class="figures-tools">
        <Tool
          icon="download"
          label="Chart as CSV"
          onClick={() =>
            download(fileName(question, "chart"), csv([...(data?.interval ?? [])].map((row) => ({ ...row }))))
          }
        />
      </div>
    </section>
  );
}
