/**
 * The whole server against the naive model: random traffic through the log, random questions through HTTP, and
 * every answer the model's, with restarts in between; then a start on the same folder, and the same bytes once
 * more. `FOOTFALL_ROUNDS` asks more.
 */
import { expect, test } from "bun:test";
import { addUser } from "../src/engine/admin/account/users.ts";
import { addWebsite } from "../src/engine/admin/websites.ts";
import { login } from "../src/engine/admin/account/sessions.ts";
import { PasswordGuard } from "../src/accounts/login/password-guard.ts";
import type { RunningEngine } from "../src/engine/running.ts";
import { TestClock } from "./support/clock.ts";
import { appOf } from "./support/http.ts";
import { MemoryDisk } from "./support/memory-disk.ts";
import { openInMemory } from "./support/memory-engine.ts";
import { modelAnswer } from "./support/model-answers.ts";
import { Model } from "./support/model.ts";
import { Questions, urlOf, withListsJoined } from "./support/questions.ts";
import { randomFrom } from "./support/random.ts";
import { rounds } from "./support/rounds.ts";
import { seed } from "./support/seed.ts";
import { Traffic, trafficStartMs, websiteIds } from "./support/traffic.ts";

/** At least one for each way to ask. */
const worlds = rounds(10, 3);
const records = 400;
const questions = rounds(70);
const hostnames = ["one.example", "two.example"];
const credentials = { username: "ada", password: "a good password" };
const pastMs = 91 * 86_400_000;

/** `smallRows`: websites with more are asked in the Worker. */
function open(disk: MemoryDisk, clock: TestClock, smallRows: number): Promise<RunningEngine> {
  return openInMemory(disk, { clock, checkpointRecords: 150, smallRows });
}

/** Returns a function that gives what this session gets for a path and query. */
function client(engine: RunningEngine, token: string): (url: string) => Promise<string> {
  const app = appOf(engine);
  return async (url) => {
    const response = await app.fetch(
      new Request(`http://localhost${url}`, { headers: { cookie: `_me_sess=${token}` } }),
    );
    return response.text();
  };
}

async function prepare(engine: RunningEngine): Promise<string> {
  const { userId } = await addUser(engine, credentials);
  for (const hostname of hostnames) await addWebsite(engine, { userId, sessionId: "" }, { hostname });
  const from = { address: "127.0.0.1", network: "127.0.0", browser: "Firefox", os: "Linux", known: [] };
  return (await login(engine, new PasswordGuard(engine.clock), credentials, from)).token;
}

async function askAll(
  nowMs: number,
  ask: (url: string) => Promise<string>,
  model: Model,
  traffic: Traffic,
  random: () => number,
  questions: number,
) {
  const asked = new Questions(random, { startMs: trafficStartMs - pastMs, endMs: traffic.timeMs });
  const answers = new Map<string, string>();
  for (let count = 0; count < questions; count++) {
    const question = withListsJoined(asked.next());
    const websiteId = random() < 0.8 ? 1 : 2;
    const url = urlOf(hostnames[websiteId - 1] as string, question);
    const answer = await ask(url);
    // Lists know the time to the second, and count to its end.
    const askedMs = question.kind === "summary" ? nowMs : Math.floor(nowMs / 1_000) * 1_000 + 999;
    const expected = modelAnswer(model, websiteId, question, askedMs);
    if (!Bun.deepEquals(JSON.parse(answer), expected)) console.log(`different: ${url}`);
    expect(JSON.parse(answer)).toEqual(expected);
    answers.set(url, answer);
  }
  return answers;
}

test.each(Array.from({ length: worlds }, (_, world) => world))(
  `${questions} questions to server %i have the answers of the model, and the same bytes after a restart`,
  async (world) => {
    const random = randomFrom(seed() + world);
    const disk = new MemoryDisk();
    const traffic = new Traffic(random);
    const clock = new TestClock(traffic.timeMs);
    // In this thread, in the worker, or first the one and then the other.
    const smallRows = [Infinity, 0, 100][world % 3] as number;
    let engine = await open(disk, clock, smallRows);
    const token = await prepare(engine);
    const model = new Model(websiteIds);
    for (let count = 0; count < records; count++) {
      const record = traffic.next();
      expect(await engine.commit(record)).toBe(model.apply(record));
      if (count % 150 === 149) {
        await engine.stop();
        engine = await open(disk, clock, smallRows);
      }
      if (count % 40 === 0) {
        clock.advance(traffic.timeMs - clock.nowMs());
        await askAll(engine.nowMs(), client(engine, token), model, traffic, random, 10);
      }
    }
    clock.advance(traffic.timeMs - clock.nowMs());
    engine.check();
    const answers = await askAll(engine.nowMs(), client(engine, token), model, traffic, random, questions);
    await engine.stop();
    const again = await open(disk, clock, smallRows);
    const ask = client(again, token);
    for (const [url, answer] of answers) expect(await ask(url)).toBe(answer);
    await again.stop();
  },
);
