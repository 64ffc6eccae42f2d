/** Finds the most preferred language in Accept-Language, reduced to the part of its tag that has an English name. */

type NameTables = Readonly<Record<"language" | "script" | "region", Intl.DisplayNames>>;
let tables: NameTables | undefined;

/** Loads the tables, which takes 4 ms: the first hit pays for it, instead of every start. */
function names(): NameTables {
  const load = (type: keyof NameTables) => new Intl.DisplayNames("en", { type, fallback: "none" });
  return (tables ??= { language: load("language"), script: load("script"), region: load("region") });
}

/**
 * Returns language[-Script][-REGION] in canonical form, for the entry with the highest weight, the first on a tie.
 * Returns "" for `*`, an invalid tag, a language without a name, or no entry. Scripts and regions without a name are
 * dropped, so that a visitor cannot invent languages.
 */
export function languageOf(acceptLanguage: string): string {
  const tag = mostPreferred(acceptLanguage);
  if (tag === undefined || tag === "*") return "";
  let locale: Intl.Locale;
  try {
    locale = new Intl.Locale(Intl.getCanonicalLocales(tag)[0] ?? "");
  } catch {
    return "";
  }
  if (names().language.of(locale.language) === undefined) return "";
  const script = named("script", locale.script);
  const region = named("region", locale.region);
  return [locale.language, script, region].filter((subtag) => subtag !== undefined).join("-");
}

/** Returns the tag with the highest weight above 0; an entry whose weight is not from 0 to 1 does not count. */
function mostPreferred(acceptLanguage: string): string | undefined {
  let preferred: string | undefined;
  let highest = 0;
  for (const entry of acceptLanguage.split(",")) {
    const [tag = "", ...parameters] = entry.split(";").map((part) => part.trim());
    const weight = weightOf(parameters);
    if (tag === "" || weight > 1 || !(weight > highest)) continue;
    preferred = tag;
    highest = weight;
  }
  return preferred;
}

/** Returns the `q` parameter; 1 without one, NaN for a malformed one. */
function weightOf(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => /^q\s*=/i.test(parameter));
  return weight === undefined ? 1 : Number.parseFloat(weight.slice(weight.indexOf("=") + 1));
}

function named(type: keyof NameTables, subtag: string | undefined): string | undefined {
  return subtag !== undefined && names()[type].of(subtag) !== undefined ? subtag : undefined;
}
