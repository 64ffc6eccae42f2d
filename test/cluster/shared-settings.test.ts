/** Nodes that were started with different settings, though the one that sequences goes by its own for all. */
import { afterEach, describe, expect, test } from "bun:test";
import { readSettings, settingsOfAll } from "../../src/cli/settings/settings.ts";
import type { NodeReport } from "../../src/cluster/roster/roster.ts";
import { SharedSettings } from "../../src/cluster/roster/shared-settings.ts";
import { TestCluster, type TestNode } from "../support/cluster.ts";
import { linesOf } from "../support/log-lines.ts";
import { describeWith } from "../support/needs.ts";
import { until } from "../support/until.ts";

type Flags = Parameters<typeof readSettings>[0];
const textsOf = (flags: Flags) => settingsOfAll(readSettings(flags, {}));

describe("the settings that nodes should have alike", () => {
  const report = (name: string, settings?: NodeReport["settings"]) => ({
    ...{ name, settings, version: "1", level: 1, seq: 1, behindMs: 0, isSequencer: false, silentMs: 0 },
  });

  test("are compared by what they mean, and hold no secret", () => {
    expect(textsOf({ retention: "24 months" })).toEqual(textsOf({ retention: "2 years" }));
    expect(textsOf({ retention: "24 months" })).not.toEqual(textsOf({}));
    expect(textsOf({ trustProxy: "loopback, 10.0.0.0/8" })).not.toEqual(textsOf({}));
    // A folder may have another path on each machine.
    expect(textsOf({ objects: "/backups/a" })).toEqual(textsOf({ objects: "/backups/b" }));
    expect(textsOf({ objects: "s3://a/b/" })).toEqual(textsOf({ objects: "s3://a/b" }));
    for (const objects of ["s3://a/c", "/backups/a", ""])
      expect(textsOf({ objects: "s3://a/b" })).not.toEqual(textsOf({ objects }));
    const secret = textsOf({ smtp: "smtps://ada:secret@mail.example", adminPassword: "a good password" });
    expect(secret).toMatchObject({ smtp: "true" });
    expect(JSON.stringify(secret)).not.toMatch(/secret|ada|good/);
    expect(textsOf({ smtpFile: "/etc/smtp" })).toMatchObject({ smtp: "true" });
  });

  test("are told once a node where they differ, and again where they differ otherwise", () => {
    const { lines, logger } = linesOf();
    const own = textsOf({ retention: "2 years" });
    const settings = new SharedSettings(own, logger);
    settings.note(report("own-abcdef-000001", own));
    settings.note(report("older-abcdef-000001"));
    expect(lines).toEqual([]);
    const other = textsOf({ retention: "1 year", base: "/stats" });
    for (const start of ["000001", "000002"]) settings.note(report(`b-abcdef-${start}`, other));
    expect(lines).toEqual([
      expect.stringMatching(/nodes have different settings: .*node=b-abcdef-000001 .*--base, --retention/),
    ]);
    settings.note(report("b-abcdef-000003", textsOf({ retention: "1 year" })));
    expect(lines.slice(1)).toEqual([expect.stringMatching(/settings=--retention$/)]);
  });

  test("trouble those who look for as long as such a node is heard; a setting of a later version does not", () => {
    const settings = new SharedSettings(textsOf({}), linesOf().logger);
    const other = report("b", { ...textsOf({ demo: "true" }), later: "1" });
    expect(settings.troublesAmong([report("a", textsOf({})), report("c"), other])).toEqual([
      "b has another --demo than this node",
    ]);
    expect(settings.troublesAmong([report("a", textsOf({}))])).toEqual([]);
    expect(settings.isSame("retention", [other])).toBeTrue();
    expect(settings.isSame("demo", [other])).toBeFalse();
  });
});

describeWith("nats", "a node with another retention", () => {
  let cluster: TestCluster;
  afterEach(() => cluster.stop());

  test("is named by the others, which delete nothing while it runs", async () => {
    cluster = await TestCluster.start();
    const first = await cluster.open("a", { settings: textsOf({ retention: "2 years" }) });
    const second = await cluster.open("b", { settings: textsOf({ retention: "1 year" }) });
    const troubleOf = ({ node }: TestNode) => node.nodes.find(({ name }) => name === node.name)?.trouble;
    const agrees = ({ engine }: TestNode) => engine["options"].shared?.agreesOnRetention?.();
    const trouble = `${second.node.name} has another --retention than this node`;
    await until(() => troubleOf(first) === trouble, "it is named");
    expect(agrees(first)).toBeFalse();
    await cluster.close(second);
    await until(() => troubleOf(first) === undefined, "it is not named once it has gone");
    expect(agrees(first)).toBeTrue();
  });
});
