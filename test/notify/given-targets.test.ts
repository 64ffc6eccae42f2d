/** Webhooks as they are given: names that no server answers for keep nobody but their account from having theirs judged. */
import { expect, test } from "bun:test";
import { Messenger } from "../../src/notify/messenger.ts";
import { InstantEngine } from "../support/instant-engine.ts";

test("four names of an account are looked up at once, until they are found, and others are judged when they are used", async () => {
  const asked: string[] = [];
  const { promise, resolve: answer } = Promise.withResolvers<readonly string[]>();
  const settings = { url: undefined, mail: undefined, webhookNetworks: [] };
  const resolve = async (hostname: string) => {
    asked.push(hostname);
    return hostname.startsWith("own") ? ["10.0.0.1"] : promise;
  };
  const messenger = new Messenger({ engine: new InstantEngine(), settings, resolve });
  const give = (name: string, userId: number) =>
    messenger.expectTarget(new URL(`https://${name}/`), userId).catch((error: unknown) => error);
  const own = { code: 400, message: expect.stringMatching(/^webhook.url: it has an address of a private/) };
  // Each of these waits for two seconds.
  const slow = Promise.all([1, 2, 3, 4, 5, 6].map((at) => give(`slow${at}.example`, 1)));
  expect(asked).toEqual(["slow1", "slow2", "slow3", "slow4"].map((name) => `${name}.example`));
  expect(await give("own1.example", 1)).toBeUndefined();
  expect(await give("own2.example", 2)).toMatchObject(own);
  expect(await give("10.0.0.1", 1)).toMatchObject(own);
  expect(await slow).toEqual(Array(6).fill(undefined));
  // They are still looked up.
  expect(await give("own3.example", 1)).toBeUndefined();
  expect(asked).toHaveLength(5);
  answer(["10.0.0.1"]);
  await promise;
  await Bun.sleep(0);
  expect(await give("own4.example", 1)).toMatchObject(own);
  await messenger.stop();
});
