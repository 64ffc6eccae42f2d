/** Parses the settings of an account from JSON. */
import { languages } from "../../../core/languages.ts";
import { badInput } from "../../../core/refusal.ts";
import { scriptTypes, type ScriptType } from "../../../core/scripts.ts";
import { knownWord, optionalList, optionalText, type Fields } from "../fields.ts";

/** A null field stays as it is. */
export interface Settings {
  readonly language: string | null;
  readonly scriptType: readonly ScriptType[] | null;
}

const languageField = "settings.language";
const scriptTypeField = "settings.script_type";

/** Takes `{language?, script_type?}`. Throws Refusal 400. */
export function parseSettings(fields: Fields): Settings {
  const language = optionalText(fields, "language", languageField);
  const list = optionalList(fields, "script_type", scriptTypeField);
  return {
    language: language === undefined ? null : knownWord(languageField, language, languages),
    scriptType: list === undefined ? null : parseScriptType(list),
  };
}

function parseScriptType(list: readonly unknown[]): ScriptType[] {
  if (list.length === 0) throw badInput(scriptTypeField, list, "at least one value");
  const types = list.map((value) => knownWord(scriptTypeField, value, scriptTypes));
  const repeated = types.find((type, index) => types.indexOf(type) !== index);
  if (repeated !== undefined) throw badInput(scriptTypeField, repeated, "every value once");
  return types;
}
