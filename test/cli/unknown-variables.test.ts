/** A start tells of variables that look like settings and are none, and of no others. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { otherVariables, unknownVariables } from "../../src/cli/settings/unknown-variables.ts";
import { settingsTable, variablesOf } from "../../src/cli/settings/settings.ts";
import { withFolder } from "../support/folder.ts";
import { fromSource } from "../support/server.ts";

test("a start warns of each misspelt variable before anything is refused, and never shows a value", () =>
  withFolder(async (folder) => {
    const { PATH = "", HOME = "" } = process.env;
    const misspelt = { FOOTFALL_RETENTON: "2 years", FOOTFALL_METRIC_TOKEN: "a-secret-of-monitoring" };
    const others = { FOOTFALL_HOST: "127.0.0.1", FOOTFALL_WIBBLE: "1", FOOTFALL_URLS: "" };
    // The certificate without its key ends the start.
    const args = ["--data", join(folder, "data"), "--tls-cert", "none.pem", "--log-format", "json"];
    const env = { PATH, HOME, ...misspelt, ...others };
    const child = Bun.spawn([...fromSource, ...args], { cwd: folder, env, stderr: "pipe", stdout: "ignore" });
    const errors = await new Response(child.stderr).text();
    expect(await child.exited).toBe(2);
    const lines = errors.split("\n").filter((line) => line.startsWith("{"));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
      [
        "FOOTFALL_METRIC_TOKEN is no setting (did you mean FOOTFALL_METRICS_TOKEN?)",
        "FOOTFALL_RETENTON is no setting (did you mean FOOTFALL_RETENTION?)",
        "FOOTFALL_WIBBLE is no setting",
      ].map((message) => ({ time: expect.any(String), level: "warn", message })),
    );
    expect(errors).not.toContain("a-secret");
  }));

test("settings, what Kubernetes sets beside a service, and variables of anything else are no news", () => {
  const settings = Object.values(settingsTable).flatMap(variablesOf);
  const service = [
    "SERVICE_HOST",
    "SERVICE_PORT",
    "SERVICE_PORT_HTTP",
    "PORT_8080_TCP",
    "PORT_8080_TCP_ADDR",
  ];
  const names = [
    ...settings,
    ...service.map((name) => `FOOTFALL_${name}`),
    ...otherVariables,
    "PROT",
    "HOME",
  ];
  expect(unknownVariables(Object.fromEntries(names.map((name) => [name, "1"])))).toEqual([]);
  expect(unknownVariables({ FOOTFALL_PROT: "90" })).toEqual([
    "FOOTFALL_PROT is no setting (did you mean FOOTFALL_PORT?)",
  ]);
});

test("each variable of this project is a setting, or stands in the list of the others", async () => {
  const root = join(import.meta.dir, "..", "..");
  const places = "{src,deploy,docs,bench,test,.ci}/**/*";
  const paths = [
    ...new Bun.Glob(places).scanSync({ cwd: root, dot: true }),
    ...["build.ts", "check.ts", "run.mjs"],
  ];
  const found = new Set<string>();
  for (const path of paths.filter((path) => !path.includes("unknown-variables")))
    for (const [name] of (await Bun.file(join(root, path)).text()).matchAll(/\bFOOTFALL_[A-Z_]*[A-Z]\b/g))
      found.add(name);
  const known = Object.values(settingsTable).flatMap(variablesOf);
  const others = [...found].filter((name) => !known.includes(name)).toSorted();
  expect(others).toEqual([...otherVariables]);
});
