/** The questions of an import before it takes anything: somebody answers in a terminal, and elsewhere --yes does. */
import { Refusal, shown } from "../../../core/refusal.ts";
import { commandLine } from "../../callable.ts";
import type { Call } from "../../command.ts";
import { confirmed } from "../../terminal/terminal.ts";
import { leavingOut, trackedText, type DayViews, type TrackedDay } from "../tracked-days.ts";

/** The most hosts that a sentence names. */
const namedMax = 3;

/** Returns the line that runs the same command again, without one of its flags. */
function sameLine({ operands, flags, settings }: Call, left?: string): string {
  const kept = [...flags].flatMap(([name, value]) =>
    name === left ? [] : value === "true" ? [`--${name}`] : [`--${name}`, value],
  );
  return commandLine(["import", ...operands, ...kept], settings.folder);
}

/** Returns a sentence that names the hosts of a file, which is of another website; `hosts`: the most frequent one first. */
function foreignHostsText(hosts: readonly string[], hostname: string): string {
  const named = hosts.slice(0, namedMax).map(shown).join(", ");
  const more = hosts.length > namedMax ? ` and ${hosts.length - namedMax} more` : "";
  return `the pages of the file are of ${named}${more}, and none is of ${hostname}`;
}

/** Returns whether a file of other hosts is imported. Throws Refusal where nobody can be asked. */
export async function mayBeOther(call: Call, hosts: readonly string[], hostname: string): Promise<boolean> {
  if (hosts.length === 0) return true;
  const text = foreignHostsText(hosts, hostname);
  return goesOn(call, text, "Import it all the same?", `${sameLine(call)} --yes imports it all the same`);
}

/** Returns whether the import goes on although `text` speaks against it. Throws Refusal with `advice` where nobody can be asked. */
async function goesOn(call: Call, text: string, question: string, advice: string): Promise<boolean> {
  const { terminal, flags } = call;
  if (flags.has("yes") || flags.has("dry-run")) {
    terminal.note(text);
    return true;
  }
  if (terminal.watched) return confirmed(terminal, `${text}. ${question}`, "nothing was imported");
  throw new Refusal(400, `${text}: ${advice}`);
}

/**
 * Returns whether the import goes on although it would count days twice: somebody says so, by a flag or when asked. Throws
 * Refusal where nobody can be asked, and for standard input, whose days are not known before. `isBlind`: it is read, and no
 * flag says which days to leave out. `days`: all that the files have, by the number of the UTC day.
 */
export async function mayCountTwice(
  call: Call,
  hostname: string,
  tracked: readonly TrackedDay[],
  days: ReadonlyMap<number, DayViews>,
  isBlind: boolean,
): Promise<boolean> {
  if (tracked.length === 0) {
    if (isBlind && !call.flags.has("yes")) throw blind(call, hostname);
    return true;
  }
  const without = leavingOut(tracked, days);
  const { flag, date } = without;
  const advice = `${sameLine(call, flag)} --${flag} ${date}. --yes counts them twice`;
  return goesOn(call, trackedText(tracked, hostname, without), "Import all?", advice);
}

function blind(call: Call, hostname: string): Refusal {
  return new Refusal(
    400,
    `${hostname} has page views, and standard input can be read only once: days that were tracked already would count ` +
      `twice. ${sameLine(call)} --until DATE stops before a day, with --from DATE it begins with one, and with --yes it takes all`,
  );
}
