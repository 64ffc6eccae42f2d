/** Who closes a page does not wait for its figures: what a client asked and left is not answered. */
import { expect, test } from "bun:test";
import type { QuestionPort } from "../../src/query-worker/worker-port.ts";
import { listen } from "../../src/http/serve.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { QueryWorkerOptions } from "../../src/query-worker/query-worker.ts";
import { Signals } from "../../src/query-worker/signals.ts";
import { localQuestionPort } from "../support/local-ports.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { load } from "../support/records.ts";
import { TestServer } from "../support/http.ts";
import { until } from "../support/until.ts";

test("a question whose client has gone is left, in the queue and in the worker", async () => {
  const asked: string[] = [];
  const gates: (() => void)[] = [];
  let sent: Int32Array | undefined;
  const openQuestionPort = (options: QueryWorkerOptions): QuestionPort => {
    ({ signals: sent } = options);
    const port = localQuestionPort(new MemoryDisk(), systemClock, options);
    return {
      ...port,
      send: async (request, handedOver, onReply) => {
        if (request.kind === "ask") {
          asked.push(...request.questions.map(({ question }) => question.list));
          await new Promise<void>((resolve) => gates.push(resolve));
        }
        return port.send(request, handedOver, onReply);
      },
    };
  };
  const server = await TestServer.open({ smallRows: 0, openQuestionPort });
  const cookie = await server.prepare();
  await server.engine.commit(load("b1", { timeMs: server.clock.nowMs() }));
  const signals: AbortSignal[] = [];
  const { engine } = server;
  const ask = engine.ask.bind(engine);
  engine.ask = (websiteId, question, signal) => {
    if (signal !== undefined) signals.push(signal);
    return ask(websiteId, question, signal);
  };
  const listening = listen(server.app, "127.0.0.1", 0);
  const get = (list: string, signal?: AbortSignal) =>
    fetch(`${listening.url}website/example.com/${list}`, {
      headers: { cookie: `_me_sess=${cookie}` },
      ...(signal && { signal }),
    });
  const gone = new AbortController();
  const left = Promise.allSettled([
    get("pages?start=1970-01-02T00:00:00Z", gone.signal),
    get("browsers", gone.signal),
  ]);
  await until(
    () => asked.length === 1 && signals.length === 2,
    "one question is in the worker, another in the queue",
  );
  const stays = get("devices?end=2970-01-02T00:00:00Z");
  await until(() => signals.length === 3, "the third question is in the queue");
  gone.abort();
  await left;
  await until(
    () => signals.filter(({ aborted }) => aborted).length === 2,
    "the server sees that its client has gone",
  );
  expect(new Signals(sent).isCancelled(0)).toBe(false);
  gates.shift()?.();
  await until(() => gates.length === 1, "another question is in the worker");
  gates.shift()?.();
  expect(await (await stays).json()).toMatchObject([{ visitors: 1 }]);
  expect(asked).toHaveLength(2);
  expect(asked).not.toContain(asked[0] === "pages" ? "browsers" : "pages");
  await listening.stop(100);
  await server.engine.stop();
});
