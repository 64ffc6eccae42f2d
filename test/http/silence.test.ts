/** A connection may be silent for a short time while a request comes, and for longer while its answer is made. */
import { expect, test } from "bun:test";
import { questionTimes } from "../../src/query-worker/questions.ts";
import { answerTimeoutS, idleTimeoutS } from "../../src/http/transport/silence.ts";
import { credentials, TestServer } from "../support/http.ts";

/** Bun may be so late, because it looks at timeouts every four seconds. */
const lateS = 4;

test("a question has an answer before its connection is cut, and what does not come is cut within 15 seconds", () => {
  expect(questionTimes.answerMs / 1_000 + lateS).toBeLessThan(answerTimeoutS);
  expect(idleTimeoutS + lateS).toBeLessThan(15);
});

test("silence is allowed while an answer is made, once the request is there, and no longer", async () => {
  const server = await TestServer.open();
  const cookie = await server.prepare();
  const seconds: number[] = [];
  const peer = {
    requestIP: () => ({ address: "127.0.0.1" }),
    timeout: (_: Request, s: number) => void seconds.push(s),
  };
  const ask = async (method: string, path: string, body: string | null = null) => {
    seconds.length = 0;
    const headers = { cookie: `_me_sess=${cookie}`, "content-type": "application/json" };
    const answer = await server.app.fetch(
      new Request(`http://localhost${path}`, { method, headers, body }),
      peer,
    );
    return [answer.status, ...seconds];
  };
  expect(await ask("GET", "/website/example.com/pages")).toEqual([200, answerTimeoutS, idleTimeoutS]);
  expect(await ask("GET", "/website/none.example/pages")).toEqual([404, answerTimeoutS, idleTimeoutS]);
  expect(await ask("POST", "/auth/login", "{")).toEqual([400, idleTimeoutS]);
  expect(await ask("POST", "/event/hit", "{}")).toEqual([400]);
  expect(await ask("GET", "/website/example.com/live")).toEqual([200, answerTimeoutS]);
  expect(await ask("HEAD", "/website/example.com/pages")).toEqual([
    200,
    answerTimeoutS,
    answerTimeoutS,
    idleTimeoutS,
  ]);
  server.app.closeStreams();
  // It ends the session that it comes with.
  expect(await ask("POST", "/auth/login", JSON.stringify(credentials))).toEqual([
    200,
    answerTimeoutS,
    idleTimeoutS,
  ]);
});
