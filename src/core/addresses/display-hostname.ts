/**
 * Hostnames as people write them: `bücher.example` for `xn--bcher-kva.example`. A name that could be taken for another one
 * stays in its ASCII form: scripts that are mixed within a label, letters that look like those of English, and all
 * characters that are no letters. Browsers do the same in their address bars, by more tables.
 */

/** The scripts whose letters may stand in one label. Those of Japanese and Korean come together. */
const scripts: readonly RegExp[] = [
  // The letters of European languages, without those that hardly differ from one of English.
  /^[a-z0-9ß-öø-ÿāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĵķĺļľłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷźżžșț-]+$/,
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー0-9-]+$/u,
  /^[\p{Script=Hangul}\p{Script=Han}0-9-]+$/u,
  ...["Arabic", "Armenian", "Bengali", "Cyrillic", "Devanagari", "Ethiopic", "Georgian", "Greek", "Gujarati"],
  ...["Gurmukhi", "Hebrew", "Kannada", "Khmer", "Lao", "Malayalam", "Myanmar", "Sinhala", "Tamil", "Telugu"],
  "Thai",
].map((script) =>
  typeof script === "string" ? new RegExp(`^(?:(?!\\p{Nd})[\\p{Script=${script}}]|[0-9-])+$`, "u") : script,
);
/** A label of only such letters of Cyrillic or Greek can be read as one of English. */
const likeEnglish = /^[асԁеһіјӏорԛѕԝхуъьҽпгѵѡαβεγηικνορτυχω0-9-]+$/u;
/** Letters that look like a slash, a dot or a dash. */
const likeSyntax = /[ノ丿〇丶ヽヾ٠۰ॱ។]/u;

/** Returns the name as people write it, for a hostname in its ASCII form. */
export function displayHostname(hostname: string): string {
  if (!hostname.includes("xn--")) return hostname;
  const shown = process.getBuiltinModule("node:url").domainToUnicode(hostname).normalize("NFC");
  return shown !== "" && shown.split(".").every(isPlain) ? shown : hostname;
}

function isPlain(label: string): boolean {
  const isEnglish = /^[a-z0-9-]+$/.test(label);
  if (isEnglish) return true;
  return !likeEnglish.test(label) && !likeSyntax.test(label) && scripts.some((script) => script.test(label));
}
