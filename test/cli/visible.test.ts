/** That what strangers chose steers no terminal, and that files and pipes get it byte by byte. */
import { beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { steers, visible, visibleJson } from "../../src/cli/terminal/visible.ts";
import { useExecutable } from "../support/executable.ts";
import { useFolder } from "../support/folder.ts";
import { seed } from "../support/seed.ts";
import { browser, runToEnd, ServerProcess } from "../support/server.ts";
import { until } from "../support/until.ts";

/** The characters that no terminal may get of a stranger. */
const raw = /[\x00-\x08\v\f\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const bad = "a\u001b[31m\u001b]0;title\u0007\u009b2J\u202egnp.exe\u2066b\u007f";

describe("what is written out", () => {
  test.each([
    ["plain, Zürich, 東京 🙂\tx\r\ny\n", "plain, Zürich, 東京 🙂\tx\r\ny\n"],
    ["a\u001b[31m", "a\\u{1b}[31m"],
    ["\u009b\u202e\u2069\u0000", "\\u{9b}\\u{202e}\\u{2069}\\u{0}"],
    ["over\rwritten\r", "over\\u{d}written\r"],
  ])("of %j is %j", (text, seen) => {
    expect(visible(text)).toBe(seen);
    expect(steers(text)).toBe(seen !== text);
  });

  test("of JSON has the same value", () => {
    const texts = fc
      .string({ unit: "binary", maxLength: 30, size: "max" })
      .map((text) => ({ [text]: [text + bad] }));
    fc.assert(
      fc.property(texts, (value) => {
        const json = visibleJson(JSON.stringify(value, null, 2));
        expect(JSON.parse(json)).toEqual(value);
        expect(json).not.toMatch(raw);
      }),
      { seed: seed() },
    );
  });
});

describe("on a terminal", () => {
  const command = [useExecutable()];
  const folder = useFolder();
  const site = "example.com";
  const lists = ["stats", site, "properties", "--filter", "prop_name[eq]=name"];
  beforeAll(async () => {
    const server = await ServerProcess.start(command, folder);
    await server.logIn();
    await server.post("/websites", { hostname: site });
    const hit = { b: "b", u: `https://${site}/`, p: true, q: false, d: { name: bad } };
    expect(await (await server.post("/event/hit", hit, { "user-agent": browser })).json()).toEqual({
      accepted: true,
    });
    await server.end("SIGTERM");
  });

  /** Returns what the terminal got of a command. It may still be on its way when the command has ended. */
  async function onTerminal(...words: string[]): Promise<string> {
    let text = "";
    const decoder = new TextDecoder();
    const data = (_: Bun.Terminal, part: Uint8Array) => void (text += decoder.decode(part, { stream: true }));
    await using terminal = new Bun.Terminal({ cols: 200, rows: 50, data });
    const end = "(the end)";
    const script = ["sh", "-c", `"$@" && printf '${end}'`, "sh"];
    const child = Bun.spawn([...script, ...command, ...words], { cwd: folder, terminal });
    expect(await child.exited).toBe(0);
    await until(() => text.includes(end), "the terminal has got all");
    return text;
  }

  test.each([
    [
      "CSV",
      [...lists, "--csv"],
      "a\\u{1b}[31m\\u{1b}]0;title\\u{7}\\u{9b}2J\\u{202e}gnp.exe\\u{2066}b\\u{7f}",
    ],
    ["JSON", [...lists, "--json"], "\\u009b2J\\u202egnp.exe\\u2066b\\u007f"],
    ["an export as JSON lines", ["export", site], "\\u009b2J\\u202egnp.exe\\u2066b\\u007f"],
    ["an export as CSV", ["export", site, "--format", "csv"], "\\u{9b}2J\\u{202e}gnp.exe"],
    ["a dump", ["dump"], "\\u009b2J\\u202egnp.exe\\u2066b\\u007f"],
  ])("%s has nothing that steers it", async (_, words, expected) => {
    const shown = await onTerminal(...words);
    expect(shown).toContain(expected);
    // The command itself takes its line of progress away.
    expect(shown.replaceAll("\r\u001b[K", "")).not.toMatch(raw);
  });

  test("a pipe gets every byte, and JSON for people the same value", async () => {
    const piped = async (...words: string[]) => (await runToEnd(command, folder, words)).output;
    expect(await piped(...lists, "--csv")).toContain(bad);
    expect(await piped("export", site)).toContain("\u009b2J\u202egnp.exe");
    expect(await piped("export", site, "--format", "csv")).toContain("\u009b2J\u202egnp.exe");
    const json = await piped(...lists, "--json");
    expect(json).not.toMatch(raw);
    expect(JSON.parse(json)).toMatchObject([{ value: bad }]);
  });
});
