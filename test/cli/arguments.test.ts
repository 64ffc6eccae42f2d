import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseArguments, type ParsedCall } from "../../src/cli/arguments.ts";
import { usageOf, type Command } from "../../src/cli/command.ts";
import { commandHelp, groupHelp, helpText, settingsHelp } from "../../src/cli/terminal/help.ts";
import { commands as programCommands } from "../../src/cli/run.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { seed } from "../support/seed.ts";

function command(name: string, operands: string[] = [], flags: Command["flags"] = []): Command {
  return { words: name.split(" "), operands, flags, description: `does ${name}`, run: async () => {} };
}

const serve = command("serve");
const add = command("site add", ["HOST"], [{ name: "user", placeholder: "NAME", required: false }]);
const load = command("load", ["FILE"], [{ name: "site", placeholder: "HOST", required: true }]);
const commands = [serve, add, load];

function parsed(...argv: string[]) {
  const call = parseArguments(argv, commands);
  if (!(typeof call === "object" && "command" in call))
    throw new Error("it was taken for --help or --version");
  return {
    command: call.command,
    operands: call.operands,
    flags: Object.fromEntries(call.flags),
    settings: call.settingFlags,
  };
}

function refused(...argv: string[]): string {
  try {
    parseArguments(argv, commands);
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    return (error as Refusal).message;
  }
  throw new Error("nothing was refused");
}

describe("parseArguments", () => {
  test("the first command runs without a word", () => {
    expect(parsed()).toEqual({ command: serve, operands: [], flags: {}, settings: {} });
    expect(parsed("--port", "9000").command).toBe(serve);
  });

  test("flags stand anywhere, with a space or an equals sign", () => {
    const expected = { command: add, operands: ["a.b"], flags: { user: "ada" }, settings: { port: "9000" } };
    expect(parsed("site", "add", "a.b", "--user", "ada", "--port=9000")).toEqual(expected);
    expect(parsed("--port", "9000", "site", "--user=ada", "add", "a.b")).toEqual(expected);
  });

  test("an address counts as the hostname in it where a hostname is expected, and nowhere else", () => {
    const address = "HTTPS://Foo.example";
    expect(parsed("site", "add", address, "--user", address)).toMatchObject({
      operands: ["foo.example"],
      flags: { user: address },
    });
    expect(parsed("load", address, "--site", "https://foo.example/")).toMatchObject({
      operands: [address],
      flags: { site: "foo.example" },
    });
    // A command that removes would take the website for such a page.
    for (const more of ["/a", "/?b=1", ":8443", "/#c"])
      expect(parsed("site", "add", address + more, "--user", "ada").operands).toEqual([address + more]);
  });

  test("a switch needs no value and takes none from the next word", () => {
    expect(parsed("--demo", "serve").settings).toEqual({ demo: "true" });
    expect(parsed("--demo=0", "serve").settings).toEqual({ demo: "0" });
  });

  test("a command's own switch with false for its value is off", () => {
    const remove = command("remove", [], [{ name: "yes", required: false }]);
    const flagsOf = (...argv: string[]) => (parseArguments(argv, [remove]) as ParsedCall).flags;
    for (const given of [["--yes"], ["--yes=true"], ["--yes=1"], ["--yes=no", "--yes"]])
      expect(flagsOf("remove", ...given)).toEqual(new Map([["yes", "true"]]));
    for (const given of [["--yes=false"], ["--yes=0"], ["--yes", "--yes=False"]])
      expect(flagsOf("remove", ...given)).toEqual(new Map());
    expect(() => flagsOf("remove", "--yes=no")).toThrow('--yes: expected true, false, 1 or 0, got "no"');
    expect(() => flagsOf("remove", "--help=no")).toThrow("--help");
    expect(refused("--version=false")).toContain("--version does not belong to this command");
  });

  test("a flag may be given several times where its command says so; of others the last one counts", () => {
    const purge = command(
      "purge",
      [],
      [
        { name: "filter", placeholder: "FILTER", required: true, repeats: true },
        { name: "yes", required: false },
      ],
    );
    const call = parseArguments(
      ["purge", "--filter", "a=1", "--yes", "--filter=b=2", "--port=1", "--port=2"],
      [purge],
    );
    expect(call).toMatchObject({
      lists: new Map([["filter", ["a=1", "b=2"]]]),
      flags: new Map([["yes", "true"]]),
      settingFlags: { port: "2" },
    });
    expect(usageOf(purge)).toBe("purge --filter FILTER... [--yes]");
    expect(() => parseArguments(["purge"], [purge])).toThrow("usage: footfall purge --filter FILTER");
  });

  test("a value may hold an equals sign and begin with a dash", () => {
    expect(parsed("--data=a=b").settings).toEqual({ folder: "a=b" });
    expect(parsed("--data", "-x").settings).toEqual({ folder: "-x" });
  });

  test("a dash alone is an operand, and after two dashes everything is", () => {
    expect(parsed("load", "-", "--site", "a.b").operands).toEqual(["-"]);
    expect(parsed("load", "--site", "a.b", "--", "--odd name").operands).toEqual(["--odd name"]);
  });

  test("the first words of several commands alone ask for the help of these", () => {
    const list = command("site list");
    const more = [...commands, list];
    for (const argv of [["site"], ["site", "--help"], ["--port", "1", "site"]])
      expect(parseArguments(argv, more)).toEqual({ group: [add, list] });
    expect(parseArguments(["site", "add", "--help"], more)).toEqual({ help: add });
    const text = groupHelp([add, list]);
    expect(text).toContain("footfall site add HOST [--user NAME]\n      does site add\n  footfall site list");
    expect(text).not.toContain("Settings");
  });

  test("help and version need nothing else to be right", () => {
    expect(parseArguments(["load", "--help"], commands)).toEqual({ help: load });
    expect(() => parseArguments(["nonsense", "--help"], commands)).toThrow('unknown command "nonsense"');
    expect(parseArguments(["-h"], commands)).toBe("help");
    expect(parseArguments(["help"], commands)).toBe("help");
    expect(parseArguments(["help", "load"], commands)).toEqual({ help: load });
    expect(parseArguments(["help", "site"], [...commands, command("site list")])).toMatchObject({
      group: [add, { words: ["site", "list"] }],
    });
    expect(parseArguments(["--version", "nonsense"], commands)).toBe("version");
  });

  test("what nobody understands is refused with what to do", () => {
    expect(refused("--prot", "9000")).toBe(
      'unknown flag "--prot" (did you mean --port?); see footfall --help',
    );
    expect(refused("-p", "9000")).toBe('unknown flag "-p"; see footfall --help');
    expect(refused("site", "remove")).toBe('unknown command "site remove"; see footfall --help');
    expect(refused("sit", "ad", "a.example")).toBe(
      'unknown command "sit ad a.example" (did you mean site add?); see footfall --help',
    );
    expect(refused("laod", "file")).toContain("did you mean load?");
    expect(refused("--dance", "1")).not.toContain("mean");
    expect(refused("--port")).toBe("--port needs a value; see footfall --help");
    expect(refused("--port=")).toBe("--port needs a value; see footfall --help");
    expect(refused("serve", "now")).toBe("usage: footfall serve");
    expect(refused("site", "add")).toBe("usage: footfall site add HOST [--user NAME]");
    expect(refused("load", "a.log")).toBe("usage: footfall load FILE --site HOST");
    expect(refused("load", "a.log", "--site", "a.b", "--user", "ada")).toContain(
      "--user does not belong to this command",
    );
  });

  test("a refusal does not repeat a password", () => {
    expect(refused("--admin-password", "lovelace", "--prot", "1")).not.toContain("lovelace");
    expect(refused("--admin-pasword=lovelace")).not.toContain("lovelace");
  });

  test("any words are a call or refused on one line", () => {
    const word = fc.oneof(
      fc.constantFrom("site", "add", "load", "--site", "--port", "--", "-", "--demo=1"),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (argv) => {
        try {
          parseArguments(argv, commands);
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal);
          expect((error as Refusal).message).not.toContain("\n");
        }
      }),
      { seed: seed() },
    );
  });
});

describe("helpText", () => {
  test("shows every command and every setting", () => {
    const text = helpText(commands);
    for (const each of commands) expect(text).toContain(`footfall ${usageOf(each)}`);
    for (const { flag, variables, description } of settingsHelp)
      for (const part of [flag, variables, description]) expect(text).toContain(part);
  });

  test("of a command shows its flags and exit codes", () => {
    const text = commandHelp({
      ...add,
      flags: [{ name: "user", placeholder: "NAME", required: false, description: "Account of the site" }],
      exitCodes: { 0: "added", 1: "known already" },
    });
    for (const part of [
      usageOf(add),
      add.description,
      "--user NAME",
      "Account of",
      "1  known already",
      "--data",
    ])
      expect(text).toContain(part);
  });

  test("of a command shows the settings that it takes, and that of the data folder only where it has one", () => {
    const helpOf = (name: string) =>
      commandHelp(programCommands.find(({ words }) => words.join(" ") === name)!);
    expect(helpOf("check")).toContain("--data FOLDER");
    for (const flag of ["--host", "--port", "--base", "--tls-cert"])
      expect(helpOf("healthcheck")).toContain(`  ${flag} `);
    for (const name of ["healthcheck", "licenses"]) expect(helpOf(name)).not.toContain("--data");
  });

  test("fits a terminal", () => {
    const texts = [helpText(programCommands), ...programCommands.map(commandHelp)];
    for (const line of texts.join("\n").split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  });
});
