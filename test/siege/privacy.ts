/**
 * The attack of whoever gets hold of all that the server has written: hits with known addresses and user agents, known
 * passwords and tokens, and then a search for each of them, in every form, in every file and all output. The paths of the
 * same hits have to be found, else the search would be worth nothing.
 */
import { readFileSync, rmSync } from "node:fs";
import { sendAll } from "../../bench/client.ts";
import { randomFrom } from "../support/random.ts";
import { account, ServerProcess } from "../support/server.ts";
import { withFolder } from "../support/folder.ts";
import { freeNamesMax } from "../../src/engine/admission/names.ts";
import {
  atLeast,
  atMost,
  attackedEnvironment,
  exactly,
  none,
  siegeHostname,
  told,
  type Check,
} from "./attack.ts";
import { filesIn, Needles, type Found } from "./needles.ts";
import { Picker } from "./odd-values.ts";
import { addShort, addVisitor, isShort, requestOf, visitorOf, type Visitor } from "./visitors.ts";

export interface PrivacyOptions {
  readonly hits: number;
  readonly seed: number;
}

const logins = 5;
const wrongPassword = "a password that nobody has";

export function siegePrivacy(command: readonly string[], { hits, seed }: PrivacyOptions): Promise<Check[]> {
  return withFolder(async (folder) => {
    const log = `${folder}.log`;
    const picker = new Picker(randomFrom(seed));
    const visitors = Array.from({ length: hits }, () => visitorOf(picker));
    const logged = ["sh", "-c", `exec "$0" "$@" 2> ${log}`, ...command];
    const server = await ServerProcess.start(logged, folder, ["--log-level", "debug"], attackedEnvironment);
    try {
      const search = new Search(visitors, await secretsOf(server), picker);
      await server.logIn();
      await server.post("/websites", { hostname: siegeHostname });
      const sent = await sendAll(server.port, hits, 32, (at) => requestOf(visitors[at] as Visitor));
      const output = () => Buffer.concat([Buffer.from(server.greeting), readFileSync(log)]);
      // Also while it runs, for what its end would remove.
      const running = search.in(folder, output());
      await server.end("SIGTERM");
      return [
        exactly("hits accepted", sent.accepted, hits),
        told("seed", seed),
        told("forms looked for", search.forms),
        ...checksOf(running, "running", hits),
        // The beacons, which have the same text, are hashed in a checkpoint, and of paths a website keeps only so many a day.
        ...checksOf(search.in(folder, output()), "stopped", Math.min(hits, freeNamesMax)),
      ];
    } finally {
      await server.end("SIGTERM");
      rmSync(log, { force: true });
    }
  });
}

interface Searched {
  readonly bytes: number;
  readonly paths: number;
  readonly found: readonly Found[];
  /** Addresses as four bytes: those of visitors, and as many that nobody has. */
  readonly four: number;
  readonly fourByChance: number;
}

function checksOf(
  { bytes, paths, found, four, fourByChance }: Searched,
  when: string,
  pathsMin: number,
): Check[] {
  // Six times the deviation of what chance finds.
  const fourMax = Math.ceil(fourByChance + 6 * Math.sqrt(fourByChance + 1));
  return [
    told(`${when}: MB searched`, bytes / 1e6),
    atLeast(`${when}: paths found`, paths, pathsMin),
    none(
      `${when}: found`,
      found.map(({ needle, file, at }) => `${needle} in ${file} at ${at}`),
    ),
    told(`${when}: four bytes of addresses that nobody has`, fourByChance),
    atMost(`${when}: four bytes of addresses`, four, fourMax),
  ];
}

class Search {
  private readonly sure = new Needles();
  private readonly four = new Needles();
  private readonly fourOfNobody = new Needles();
  private readonly paths = new Needles();

  constructor(visitors: readonly Visitor[], secrets: readonly (readonly [string, Buffer])[], picker: Picker) {
    for (const [name, secret] of secrets) this.sure.add(name, secret);
    for (const visitor of visitors) {
      addVisitor(this.sure, visitor);
      this.paths.add(visitor.path, Buffer.from(visitor.path));
      if (!isShort(visitor.bytes)) continue;
      addShort(this.four, visitor);
      let nobody = visitorOf(picker);
      while (!isShort(nobody.bytes)) nobody = visitorOf(picker);
      addShort(this.fourOfNobody, nobody);
    }
  }

  get forms(): number {
    return this.sure.size + this.four.size;
  }

  in(folder: string, output: Buffer): Searched {
    const found: Found[] = [];
    const paths = new Set<string>();
    let [bytes, four, fourByChance] = [0, 0, 0];
    for (const [file, content] of [...filesIn(folder), ["the output", output] as const]) {
      bytes += content.length;
      found.push(...this.sure.in(file, content));
      four += this.four.in(file, content).length;
      fourByChance += this.fourOfNobody.in(file, content).length;
      for (const { needle } of this.paths.in(file, content)) paths.add(needle);
    }
    return { bytes, paths: paths.size, found, four, fourByChance };
  }
}

/** Passwords, right and wrong, and the tokens of sessions and devices, as text and as the bytes that they stand for. */
async function secretsOf(server: ServerProcess): Promise<[string, Buffer][]> {
  const needles: [string, Buffer][] = [];
  const add = (name: string, text: string) => {
    const forms = [Buffer.from(text), Buffer.from(text, "base64url"), Buffer.from(text, "hex")];
    for (const form of forms) if (form.length >= 8) needles.push([name, form]);
  };
  await server.post("/auth/login", { username: account.username, password: wrongPassword });
  for (let at = 0; at < logins; at++) {
    const answer = await server.post("/auth/login", account, { cookie: "" });
    for (const cookie of answer.headers.getSetCookie()) {
      const value = cookie.slice(cookie.indexOf("=") + 1).split(";", 1)[0] as string;
      add(cookie.split("=", 1)[0] as string, value);
      // The others are an account's number and a time.
      for (const part of value.split(".").filter(({ length }) => length > 20))
        add(`a part of ${cookie.split("=", 1)[0]} ${part}`, part);
    }
  }
  for (const password of [account.password, wrongPassword]) add("a password", password);
  return needles;
}
