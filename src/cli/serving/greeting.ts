/** Tells the operator that the server listens: where, with which data, and how the first account is made. */
import { resolve } from "node:path";
import { shown } from "../../core/refusal.ts";
import type { SetUp } from "../../engine/admin/account/set-up.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Listening } from "../../http/serve.ts";
import { shellWord } from "../callable.ts";
import type { Call } from "../command.ts";
import { serverUrl } from "./server-url.ts";
import { announce } from "../terminal/terminal.ts";
import { version } from "../version.ts";
import { workTreeAround } from "./work-tree.ts";

/** The addresses under which this machine reaches itself. A browser accepts the Secure cookie from `localhost` only. */
const localHosts = new Set(["0.0.0.0", "::", "127.0.0.1", "::1", "localhost"]);

function dashboardUrl({ settings }: Call, { port }: Listening): string {
  const { host, url } = settings;
  return `${url ?? serverUrl(settings, localHosts.has(host) ? "localhost" : host, port)}/`;
}

/** Returns the lines that say how the first account is made. */
export function setUpLines(call: Call, setUp: SetUp, listening: Listening): string[] {
  return [
    "  There is no account yet. Make the first one with this link, which works once:",
    `  ${dashboardUrl(call, listening)}#setup=${setUp.token}`,
    `  or in another terminal: footfall user add NAME --data ${shellWord(resolve(call.settings.folder))}`,
  ];
}

interface Circumstances {
  /** The name of a node. */
  readonly node: string | undefined;
  /** The name of a file that was there before the data. */
  readonly otherFile: string | undefined;
}

/** Prints the greeting as one block, in one write. The link of a node is printed when it takes changes itself. */
export function greet(
  call: Call,
  engine: Engine,
  setUp: SetUp,
  listening: Listening,
  { node, otherFile }: Circumstances,
): void {
  const { settings, terminal } = call;
  const { host, folder } = settings;
  const { port } = listening;
  const tree = workTreeAround(folder);
  const lines = [
    `Footfall ${version} listens on ${serverUrl(settings, host, port)}, data in ${folder}`,
    ...(tree === undefined
      ? []
      : [
          `  The data is in the git work tree ${tree}: git clean may delete it. Choose another folder with --data.`,
        ]),
    ...(otherFile === undefined
      ? []
      : [
          `  The data began among other files, such as ${shown(otherFile)}. Choose a folder of its own with --data.`,
        ]),
    ...(engine.demo ? ["  Demo: changes to accounts, websites and settings are refused."] : []),
    ...(node === undefined ? [] : [`  It is the node ${node} of the cluster ${settings.natsPrefix}.`]),
    ...(setUp.open && node === undefined
      ? setUpLines(call, setUp, listening)
      : [`  Dashboard: ${dashboardUrl(call, listening)}`]),
  ];
  announce(terminal, lines.join("\n"));
}
