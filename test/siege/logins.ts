/**
 * The attack of wrong logins from many networks at a time, while the owner logs in again and again: by the device of an
 * earlier login, and as a new browser, each time from another network that nobody attacks from.
 */
import { load } from "../../bench/under-load.ts";
import { LoginFlood, type FloodOptions } from "../support/login-flood.ts";
import { account, type ServerProcess } from "../support/server.ts";
import { atMost, none, told, withServer, type Check } from "./attack.ts";

export interface LoginsOptions extends FloodOptions {
  readonly seconds: number;
  /** Honest hits a second. */
  readonly rate: number;
}

const ownerMsMax = 3_000;
/** Between two logins of the owner. */
const pauseMs = 2_000;

export function siegeLogins(command: readonly string[], options: LoginsOptions): Promise<Check[]> {
  const { seconds, rate } = options;
  return withServer(command, async (server) => {
    const device = await deviceOf(server);
    await load(server.port, rate, seconds / 4, 0);
    const before = await load(server.port, rate, seconds / 2, 1);
    const send = (body: object, address: string) =>
      server.post("/auth/login", body, { "x-forwarded-for": address, cookie: "" });
    const flood = new LoginFlood(send, options);
    const loaded = load(server.port, rate, seconds, 2);
    const owner = await ownerUntil(loaded, server, device);
    // Before what may have gone wrong is told: else the flood outlives the server.
    await flood.stop();
    const whileFlooded = await loaded;
    return [
      told("wrong logins checked", flood.checked),
      told("wrong logins refused", flood.refused),
      none("wrong logins that were not 401", flood.unexpected.map(String)),
      none("logins of the owner that failed", owner.failed),
      told("logins of the owner", owner.newMs.length + owner.deviceMs.length),
      atMost("slowest of a known browser, ms", Math.max(...owner.deviceMs), ownerMsMax),
      told("first of a new browser, ms", owner.newMs[0] ?? 0),
      atMost("slowest of a new browser, ms", Math.max(...owner.newMs), ownerMsMax),
      told("honest hits a second", rate),
      told("p50 ms before, while", `${before.p50Ms.toFixed(2)}, ${whileFlooded.p50Ms.toFixed(2)}`),
      told("p99 ms before", before.p99Ms),
      atMost("p99 ms while", whileFlooded.p99Ms, 2 * before.p99Ms),
      told("slowest ms before, while", `${before.maxMs.toFixed(1)}, ${whileFlooded.maxMs.toFixed(1)}`),
    ];
  });
}

async function deviceOf(server: ServerProcess): Promise<string> {
  const answer = await server.post("/auth/login", account);
  const cookies = answer.headers.getSetCookie().map((text) => text.split(";", 1)[0] as string);
  return cookies.find((text) => text.startsWith("_me_device=")) as string;
}

async function ownerUntil(done: Promise<unknown>, server: ServerProcess, device: string) {
  const newMs: number[] = [];
  const deviceMs: number[] = [];
  const failed: string[] = [];
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  done.then(end, end);
  const logIn = async (headers: Readonly<Record<string, string>>) => {
    const startMs = performance.now();
    const answer = await server.post("/auth/login", account, { cookie: "", ...headers });
    if (answer.status !== 200) failed.push(`${answer.status} ${await answer.text()}`);
    return performance.now() - startMs;
  };
  for (let turn = 0; !isOver; turn++) {
    newMs.push(await logIn({ "x-forwarded-for": `198.51.${turn % 256}.7` }));
    deviceMs.push(await logIn({ "x-forwarded-for": "10.0.0.1", cookie: device }));
    await Bun.sleep(pauseMs);
  }
  return { newMs, deviceMs, failed };
}
