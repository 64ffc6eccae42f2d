/** The page of one website: its period and filters, its figures, its chart and its lists. */
import { useMemo, useState } from "preact/hooks";
import type { NamedSummary } from "../../core/questions/answer.ts";
import type { Role } from "../../core/website/role.ts";
import { address } from "../lib/address.ts";
import { spanOf } from "../lib/calendar/period.ts";
import { freshness, useAnswer, useHeld, type Answer } from "../lib/answer.ts";
import { displayOf, type ShownWebsite, type Website } from "../lib/api.ts";
import { isolated } from "../../core/questions/label.ts";
import { comparedPairs, driversPath, listPath, summaryPath } from "../lib/question/paths.ts";
import {
  operandText,
  questionHref,
  questionOf,
  sumsUp,
  unknownFilters,
  withAmount,
  withoutGoal,
  type Question,
} from "../lib/question/question.ts";
import { isIncomparable } from "../lib/question/incomparable.ts";
import { may, type SharedLink } from "../lib/question/view-href.ts";
import { installHref, shareId } from "../lib/routes.ts";
import type { GoalRow } from "../lib/question/steps.ts";
import type { Rejections } from "../lib/set-up/rejections.ts";
import { Icon } from "../parts/icon.tsx";
import { DrawnFor } from "../parts/drawn-for.tsx";
import { isMissing, MissingLink, MissingWebsite } from "../parts/missing.tsx";
import { Empty, Loading, Pending } from "../parts/notice.tsx";
import { onDemand } from "../parts/on-demand.tsx";
import { Incomparable } from "../parts/tables/change.tsx";
import { Tool } from "../parts/tool.tsx";
import { utcDate } from "../lib/texts/format.ts";
import { Figures } from "../website/figures.tsx";
import { FilterBar, UnknownFilters } from "../website/filters/filter-bar.tsx";
import { useKeys } from "../website/keys/keys.tsx";
import { Live } from "../website/live-count.tsx";
import { PanelCard } from "../website/lists/panel.tsx";
import { panelsOf, properties, propertyValues, type Panel } from "../website/lists/panels.ts";
import { NothingHere, useRecorded } from "../website/recorded.tsx";
import { saveAll } from "../website/save.ts";
import { SumsOnly, sumsBefore } from "../website/sums-only.tsx";
import { PeriodMenu } from "../website/period-menu.tsx";
import { t } from "../lib/texts/words.ts";

const Beginning = onDemand(async () => (await import("../website/beginning.tsx")).Beginning, Loading);
const DayDrivers = onDemand(
  async () => (await import("../website/day-drivers.tsx")).DayDrivers,
  () => <p class="drivers" aria-busy />,
);
const FilterEditor = onDemand(
  async () => (await import("../website/filters/filter-editor.tsx")).FilterEditor,
);
const FunnelCard = onDemand(
  async () => (await import("../website/course/funnel-card.tsx")).FunnelCard,
  Loading,
);
const GoalsCard = onDemand(async () => (await import("../website/course/goals-card.tsx")).GoalsCard, Loading);
const HidingProxy = onDemand(async () => (await import("../parts/hiding-proxy.tsx")).HidingProxy);
const JourneysCard = onDemand(
  async () => (await import("../website/course/journeys-card.tsx")).JourneysCard,
  Loading,
);
const KeysHelp = onDemand(async () => (await import("../website/keys/keys-help.tsx")).KeysHelp);
const Switcher = onDemand(async () => (await import("../website/switcher.tsx")).Switcher);

export function WebsiteView({ hostname }: { readonly hostname: string }) {
  const { data, error } = useAnswer<Website>(`/websites/${encodeURIComponent(hostname)}`);
  if (isMissing(error)) return <MissingWebsite hostname={hostname} />;
  if (data === undefined) return <Pending data={data} error={error} what={hostname} />;
  return <Statistics website={data} role={data.role} />;
}

/** Says why visits are 0, if a proxy hides visitors. */
function HiddenVisits({ hostname }: { readonly hostname: string }) {
  const { data } = useAnswer<Rejections>(`/website/${encodeURIComponent(hostname)}/rejections`);
  if (data?.hiding_proxy === undefined) return null;
  return (
    <Empty>
      <HidingProxy {...data.hiding_proxy} />
    </Empty>
  );
}

interface StatisticsProps {
  readonly website: ShownWebsite;
  /** The link by which they are shown. */
  readonly shared?: SharedLink;
  /** The role of the account that sees them. */
  readonly role?: Role;
}

export function Statistics(props: StatisticsProps) {
  const { website, shared } = props;
  const { hostname, visits } = website;
  const { search } = address.value;
  const { question, goals, chosen } = useQuestion(props);
  const [open, setOpen] = useState<OpenedProps["open"]>();
  useKeys(question, {
    addFilter: () => setOpen("filter"),
    switcher: () => setOpen("switcher"),
    help: () => setOpen("keys"),
  });
  const summary = useAnswer<NamedSummary>(summaryPath(question), 0, true);
  const answered = useHeld(question, summary.loading);
  const recorded = useRecorded(answered, summary.data);
  const sumsUntil = sumsBefore(summary.error);
  const drivers = driversPath(question);
  const isImported = summary.data?.imported_until !== undefined;
  const round = freshness.value;
  if (isMissing(summary.error)) return shared ? <MissingLink /> : <MissingWebsite hostname={hostname} />;
  // The answers for other parts do not draw head and panels again.
  const head = () => (
    <>
      <Head
        website={website}
        question={question}
        onSwitch={() => setOpen("switcher")}
        onKeys={() => setOpen("keys")}
      />
      <FilterBar question={question} goal={chosen?.name} />
    </>
  );
  const panels = () => <Panels question={question} isImported={isImported} />;
  return (
    <>
      <DrawnFor values={[website, question, chosen?.name, round]} draw={head} />
      <UnknownFilters names={unknownFilters(search)} />
      {visits && may(question, "editor") && <HiddenVisits hostname={hostname} />}
      {recorded.isNever ? (
        <Beginning question={question} />
      ) : sumsUntil !== undefined ? (
        <SumsOnly question={question} until={sumsUntil} />
      ) : (
        <Incomparable.Provider value={summary.loading || isIncomparable(question, summary.data)}>
          <Figures question={question} answered={answered} summary={summary} goal={chosen} />
          {drivers && <DayDrivers question={question} path={drivers} />}
          {recorded.isEmpty ? (
            recorded.isKnown && (
              <NothingHere question={answered} recorded={recorded.dates} busy={summary.loading} />
            )
          ) : (
            <DrawnFor values={[question, isImported, round]} draw={panels} />
          )}
          {visits && <Courses question={question} goals={goals} summary={summary.data} />}
        </Incomparable.Provider>
      )}
      <Opened open={open} question={question} onClose={() => setOpen(undefined)} />
    </>
  );
}

interface OpenedProps {
  readonly open: "filter" | "keys" | "switcher" | undefined;
  readonly question: Question;
  readonly onClose: () => void;
}

/** The dialog that a key or a button opened. */
function Opened({ open, question, onClose }: OpenedProps) {
  if (open === "filter") return <FilterEditor question={question} index={undefined} onClose={onClose} />;
  if (open === "switcher") return <Switcher question={question} onClose={onClose} />;
  return open === "keys" ? <KeysHelp question={question} onClose={onClose} /> : null;
}

/** Returns the question of the address, the same until the address is another, and the goals with the one that is chosen. */
function useQuestion({ website, shared, role }: StatisticsProps) {
  const { hostname, visits } = website;
  const { search } = address.value;
  const asked = useMemo(
    () => questionOf(hostname, search, { visits, shared, role }),
    [hostname, search, visits, shared, role],
  );
  const goals = useAnswer<readonly GoalRow[]>(
    visits ? listPath({ ...asked, goal: undefined }, "goals", comparedPairs(asked)) : null,
  );
  const chosen = goals.data?.find(({ id }) => id === asked.goal);
  // A link may name a goal that was removed.
  const isGone = asked.goal !== undefined && goals.data !== undefined && chosen === undefined;
  // Until the goals are there, a link to the chart of amounts tells that the goal has some.
  const amount = chosen === undefined ? asked.metric === "amount" : sumsUp(chosen);
  const question = useMemo(
    () => (isGone ? withoutGoal(asked) : withAmount(asked, amount)),
    [asked, isGone, amount],
  );
  return { question, goals, chosen };
}

interface HeadProps {
  readonly website: ShownWebsite;
  readonly question: Question;
  readonly onSwitch: () => void;
  readonly onKeys: () => void;
}

function Head({ website, question, onSwitch, onKeys }: HeadProps) {
  return (
    <header class="website-head">
      <h1>{displayOf(website)}</h1>
      {question.shared === undefined && (
        <Tool icon="switch" label={t("Switch to another website")} onClick={onSwitch} />
      )}
      <Live website={website} isShared={question.shared !== undefined} />
      <span class="spring" />
      <PeriodMenu question={question} />
      {may(question, "editor") && (
        <a
          class="button plain"
          href={installHref(website.hostname)}
          title={t("Snippet, rules, people, rename, remove")}
        >
          <Icon name="code" />
          {t("Set up")}
        </a>
      )}
      {may(question, "owner") && <ShareTool question={question} />}
      <Tool icon="download" label={t("All of it as CSV files")} onClick={() => saveAll(question)} />
      <Tool icon="print" label={t("Print or save as PDF")} onClick={() => print()} />
      <Tool icon="keyboard" label={t("Keyboard shortcuts")} onClick={onKeys} isForKeys />
    </header>
  );
}

interface PanelsProps {
  readonly question: Question;
  /** Whether sums that were imported are in the figures. */
  readonly isImported: boolean;
}

function Panels({ question, isImported }: PanelsProps) {
  return (
    <div class="panels">
      {[...panelsOf(question.visits, question.shared?.filters), propertiesPanel(question)].map((panel) => (
        <PanelCard key={panel.id} panel={panel} question={question} isImported={isImported} />
      ))}
    </div>
  );
}

/** Leads to the links of the website. They get the address of now: its period, filters, goal and tabs. */
function ShareTool({ question }: { readonly question: Question }) {
  return (
    <a
      class="button plain icon-button"
      href={`${questionHref(question).replace(/(?=\?|$)/, "/install")}#${shareId}`}
      aria-label={t("Share")}
      title={t("Share")}
    >
      <Icon name="share" />
    </a>
  );
}

interface CoursesProps {
  readonly question: Question;
  readonly goals: Answer<readonly GoalRow[]>;
  /** Undefined until it is known. */
  readonly summary: NamedSummary | undefined;
}

/** The cards about what visits do one after the other. */
function Courses({ question, goals, summary }: CoursesProps) {
  const from = goals.rowsFrom ?? summary?.imported_until ?? summary?.rows_from;
  const hint =
    from &&
    t("Earlier months have sums only: goals, funnels and journeys are from {date} on.", {
      date: utcDate(from),
    });
  const { endMs } = spanOf(question.period, question.zone, Date.now());
  if (from !== undefined && Date.parse(from) >= endMs) return <p class="hint">{hint}</p>;
  // A link with filters shows none: the pages before and after are not among what it selects.
  const path = question.shared?.filters.length ? undefined : pageOf(question);
  return (
    <>
      <div class="courses">
        {path !== undefined && <JourneysCard question={question} path={path} isDated={hint === undefined} />}
        <GoalsCard question={question} goals={goals} />
        <FunnelCard question={question} goals={goals.data ?? []} isDated={hint === undefined} />
      </div>
      {hint && <p class="hint">{hint}</p>}
    </>
  );
}

/** Returns the one page that is filtered for; undefined if there is none. */
function pageOf({ filters }: Question): string | undefined {
  const [page, another] = filters.filter(({ name, operator }) => name === "path" && operator === "eq");
  return another === undefined ? page?.operands[0] : undefined;
}

/** Returns the panel of properties: names, or the values of one name once it is filtered for. */
function propertiesPanel({ filters, shared }: Question): Panel {
  const named = [...filters, ...(shared?.filters ?? [])].find(
    ({ name, operator }) => name === "prop_name" && operator === "eq",
  );
  if (named === undefined) return properties;
  const name = operandText("prop_name", named.operands[0] ?? "");
  const tab = { ...propertyValues, label: t("Values of {name}", { name: isolated(name) }) };
  return { ...properties, title: tab.label, tabs: [tab] };
}
