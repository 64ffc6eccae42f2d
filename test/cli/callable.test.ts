/** Commands in messages can be called as they are printed, also where there is no executable. */
import { expect, test } from "bun:test";
import { join, resolve } from "node:path";
import { callable, onFolder } from "../../src/cli/callable.ts";
import { useFolder } from "../support/folder.ts";
import { longTest } from "../support/long-test.ts";
import { runToEnd, ServerProcess } from "../support/server.ts";

const folder = useFolder();

test.each([
  ["add one with 'footfall user add'", "add one with 'npm start --silent -- user add'"],
  ["footfall: usage: footfall import HOST", "footfall: usage: npm start --silent -- import HOST"],
  ["unzip -p a.zip | footfall import HOST -", "unzip -p a.zip | npm start --silent -- import HOST -"],
  ["see footfall --help", "see npm start --silent -- --help"],
  ["'footfall COMMAND --help' explains one", "'npm start --silent -- COMMAND --help' explains one"],
  ["/srv/footfall is no data folder", "/srv/footfall is no data folder"],
  ["Footfall 1.0 listens", "Footfall 1.0 listens"],
])("%s", (text, called) => {
  expect(callable(text, "npm start --silent --")).toBe(called);
  expect(callable(text, "footfall")).toBe(text);
});

test.each([
  ["see what 'footfall repair' can keep", "see what 'footfall repair --data 'my data'' can keep"],
  ["'footfall restore FILE --data NEW' makes another", "'footfall restore FILE --data NEW' makes another"],
  ["'footfall import --help' shows a line of each", "'footfall import --help' shows a line of each"],
  ["'footfall restore '/a b' --list' names others", "'footfall restore '/a b' --list' names others"],
])("on a folder: %s", (text, printed) => {
  expect(onFolder(text, "my data")).toBe(printed);
});

longTest("from source, what is printed is what npm runs", async () => {
  const source = [process.execPath, resolve("src/main.ts")];
  const server = await ServerProcess.start(source, folder, ["--data", "data"], {});
  const [, printed = ""] = / in another terminal: npm start --silent -- (.*)$/m.exec(server.greeting) ?? [];
  expect(printed).toBe(`user add NAME --data ${join(folder, "data")}`);
  const { errors } = await runToEnd(source, folder, ["website", "add", "a.example", "--data", "data"]);
  expect(errors).toContain(
    "there is no account yet: add one with 'npm start --silent -- user add NAME --data data'",
  );
  await server.end("SIGTERM");
});
