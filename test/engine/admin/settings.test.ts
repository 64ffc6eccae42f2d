import { describe, expect, test } from "bun:test";
import { scriptTypes } from "../../../src/core/scripts.ts";
import { parseSettings } from "../../../src/engine/admin/account/settings.ts";
import { refusalOf } from "../../support/refusals.ts";

describe("parseSettings", () => {
  test("what is missing or null stays", () => {
    expect(parseSettings({})).toEqual({ language: null, scriptType: null });
    expect(parseSettings({ language: null, script_type: null })).toEqual({
      language: null,
      scriptType: null,
    });
  });

  test("takes every script type, together and alone, in the order given", () => {
    expect(parseSettings({ script_type: [...scriptTypes] }).scriptType).toEqual([...scriptTypes]);
    for (const type of scriptTypes) expect(parseSettings({ script_type: [type] }).scriptType).toEqual([type]);
    expect(parseSettings({ script_type: ["hash-routes", "default"] }).scriptType).toEqual([
      "hash-routes",
      "default",
    ]);
  });

  test("takes the languages there are", () => {
    expect(["en", "de"].map((language) => parseSettings({ language }).language)).toEqual(["en", "de"]);
  });

  test.each([
    [{ language: "EN" }, 'settings.language: expected en, de, got "EN"'],
    [{ language: "" }, 'settings.language: expected en, de, got ""'],
    [{ language: 1 }, "settings.language: expected a string, got a number"],
    [{ script_type: "default" }, "settings.script_type: expected an array, got a string"],
    [{ script_type: [] }, "settings.script_type: expected at least one value, got an array"],
    [
      { script_type: ["default", "default"] },
      'settings.script_type: expected every value once, got "default"',
    ],
    [
      { script_type: ["default", "clicks"] },
      `settings.script_type: expected ${scriptTypes.join(", ")}, got "clicks"`,
    ],
    [{ script_type: [null] }, `settings.script_type: expected ${scriptTypes.join(", ")}, got null`],
  ])("refuses %j", async (fields, expected) => {
    const { code, message } = await refusalOf(() => parseSettings(fields));
    expect(code).toBe(400);
    expect(message).toBe(expected);
  });
});
