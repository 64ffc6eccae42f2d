/** All that accounts and websites keep, over a crash and a stop, and beside an earlier program, which would lose it. */
import { expect, test } from "bun:test";
import { storedNames } from "../../src/engine/checkpoint/checkpoint-names.ts";
import type { Engine } from "../../src/engine/engine.ts";
import type { LogRecord } from "../../src/record/record.ts";
import { readNewest } from "../../src/snapshot/read-checkpoint.ts";
import {
  funnelAdded,
  funnelRemoved,
  goalAdded,
  invitationAccepted,
  invitationAdded,
  linkAdded,
  noteAdded,
  secondFactorChanged,
  segmentAdded,
  sessionStarted,
  subscriptionAdded,
  tokenAdded,
  userAdded,
  websiteAdded,
  websiteAliases,
  websiteRules,
} from "../support/account-records.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { noonMs } from "../support/records.ts";

const confirmationSent: LogRecord = {
  kind: "confirmationSent",
  timeMs: noonMs,
  websiteId: 1,
  recipient: "ada@example.com",
  tokenHash: "hash",
  leavingKey: "key",
};

/** The records of each, by the name that a manifest has for it. */
const kept: readonly (readonly [name: string, records: readonly LogRecord[]])[] = [
  ["rules", [websiteRules(1, { paths: ["/private*"], networks: ["192.0.2.7"] })]],
  ["ignored referrers", [websiteRules(1, { ignoredReferrers: ["pay.example"] })]],
  ["aliases", [websiteAliases(1, ["b.example"])]],
  ["goals", [goalAdded(1, 1)]],
  ["notes", [noteAdded(1, 1)]],
  ["segments", [segmentAdded(1, 1)]],
  ["funnels", [funnelAdded(1, 1), funnelAdded(1, 2), funnelRemoved(1, 2)]],
  ["subscriptions", [subscriptionAdded(1, 1), confirmationSent]],
  ["links", [linkAdded(1, "all", { passwordHash: "hash" }), linkAdded(1, "board", { tokenHash: null })]],
  ["members", [invitationAdded(1, "gone"), invitationAccepted(1, "gone", 2)]],
  ["members", [invitationAdded(1, "waits", { role: "editor" })]],
  ["tokens", [tokenAdded("till", { scope: "send" })]],
  ["second factors", [sessionStarted("s"), secondFactorChanged(1, { secret: "secret", keepSessionId: "s" })]],
];
const gone: readonly LogRecord[] = [
  { kind: "websiteRemoved", timeMs: noonMs, websiteId: 1 },
  { kind: "tokenRemoved", timeMs: noonMs, tokenId: "till" },
  secondFactorChanged(1),
];

const { registry = [], ...known } = storedNames;
/** All that the test is about, as the registry has it in memory. */
const heldBy = ({ registry: { users, websites, tokens } }: Engine) =>
  [users, websites, tokens.rows].map((rows) => [...rows.values()]);
const namesIn = (disk: MemoryDisk) => readNewest(disk, "/data", storedNames).checkpoint?.manifest.names;

test("each name is that of something here, of months or of other folders", () => {
  const others = ["unavailable", "months", "months 2", "months 3", "stream"];
  expect(registry).toEqual([...new Set(kept.map(([name]) => name)), ...others]);
});

test.each(kept)(
  "%s are the same after a crash and a stop, and only while they are there an earlier program refuses",
  async (name, records) => {
    const disk = new MemoryDisk();
    let engine = await openInMemory(disk);
    await engine.commit(userAdded(1, "ada"));
    await engine.commit(userAdded(2, "bob"));
    await engine.commit({ ...websiteAdded(1, "a.example"), visits: true });
    await engine.purge();
    expect(namesIn(disk)).toEqual(known);
    for (const record of records) expect(await engine.commit(record)).toBe("done");
    const held = heldBy(engine);
    // The disk as a crash leaves it: the log alone has them.
    const crashed = await openInMemory(disk.crash(() => 0));
    expect(heldBy(crashed)).toEqual(held);
    await crashed.stop();
    await engine.stop();
    const earlier = { ...known, registry: registry.filter((each) => each !== name) };
    expect(() => readNewest(disk, "/data", earlier)).toThrow(`it has ${name} among its registry`);
    engine = await openInMemory(disk);
    expect(heldBy(engine)).toEqual(held);
    for (const record of gone) await engine.commit(record);
    await engine.purge();
    expect(namesIn(disk)).toEqual(known);
    await engine.stop();
  },
);
