/** A node with a damaged file of one website: it sequences only as long as no other node has all websites whole. */
import { afterEach, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commitSome, view } from "../support/cluster-folders.ts";
import { TestCluster } from "../support/cluster.ts";
import { linesOf } from "../support/log-lines.ts";
import { describeWith } from "../support/needs.ts";
import { imported, noonMs } from "../support/records.ts";
import { filesIn } from "../support/sound-folder.ts";
import { until } from "../support/until.ts";

describeWith("nats", "a node with a damaged website", () => {
  let cluster: TestCluster;
  afterEach(() => cluster?.stop());

  test("leaves the lease to a whole one, and sequences where there is none", async () => {
    cluster = await TestCluster.start();
    const first = await cluster.open("a");
    const { folder, engine } = await cluster.sequencer();
    await commitSome(engine);
    await engine.commit(imported([noonMs]));
    await engine.purge();
    await cluster.close(first);
    damage(folder);

    const { lines, logger } = linesOf();
    const damaged = await cluster.open("a", { logger });
    expect(damaged.engine.health().unavailableWebsites).toBe(1);
    await until(() => damaged.node.isSequencer, "it sequences, because nobody else is there");
    expect(await damaged.engine.commit(view("waiting"))).toBe("done");
    await expect(damaged.engine.commit(imported([noonMs]))).rejects.toThrow("this website is unavailable");

    const whole = await cluster.open("b");
    await until(() => whole.node.isSequencer, "the whole one sequences");
    expect(lines.join("")).toContain("a website of its copy is damaged");
    const again = { fromPosition: 1, position: 2 };
    expect(await whole.engine.commit(imported([noonMs], again))).toBe("done");
    await cluster.level();
    expect(whole.node.nodes.find(({ name }) => name === damaged.node.name)?.maySequence).toBe(false);
  });
});

function damage(folder: string): void {
  const names = filesIn(folder).filter((name) => /^chunks\/1\/.*\.site$/.test(name));
  expect(names).not.toBeEmpty();
  for (const name of names) {
    const bytes = readFileSync(join(folder, name));
    const at = bytes.length >> 1;
    writeFileSync(join(folder, name), bytes.with(at, 0x55 ^ (bytes[at] ?? 0)));
  }
}
