/**
 * Makes texts by strangers (paths, campaigns, properties, links to the dashboard) safe to show among other text: they
 * cannot reverse the text around them, and invisible characters are written out.
 */

/** Invisible characters that join several characters into one sign: they stay as they are. */
const joining = [
  // The flags of England, Scotland and Wales.
  /\u{1f3f4}[\u{e0030}-\u{e007a}]{3,6}\u{e007f}/u,
  // Emoji made of several.
  /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}])\u200d(?=\p{Extended_Pictographic})/u,
  // Persian words, the letters of India and its neighbours, emoji with a variation selector. The Arabic mark of direction and
  // marks without a shape are written out themselves.
  /(?<=[\p{Script=Arabic}\p{Mark}])(?<![\u061c\u034f\u17b4\u17b5])[\u200c\u200d]/u,
  /[\u200c\u200d](?=\p{Mark})(?![\u034f\u17b4\u17b5])/u,
];
/**
 * The invisible characters: control characters, separators of lines and paragraphs, letters that fill a place (Hangul, Khmer),
 * a mark and a sign of Braille without a dot, and format characters except for the Arabic signs among them, which are visible.
 */
const unseen =
  /([\p{Cc}\p{Zl}\p{Zp}\ufff9-\ufffb\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]|(?=\p{Default_Ignorable_Code_Point})\p{Cf})/u;
const either = new RegExp([...joining, unseen].map(({ source }) => source).join("|"), "gu");
/** The blocks of Hebrew, Arabic and all other scripts that are written from right to left. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

function written(text: string, write: (unseen: string) => string): string {
  return text.replace(either, (found: string, unseen: string | undefined) =>
    unseen === undefined ? found : write(unseen),
  );
}

/** Returns the text with invisible characters written out, such as a line feed as \u{a}. */
export function label(text: string): string {
  return written(text, (unseen) => `\\u{${unseen.codePointAt(0)?.toString(16)}}`);
}

/**
 * Returns a path as its visitors read it: decoded, except for invisible characters such as a line feed, which stays
 * %0A.
 */
export function pathLabel(path: string): string {
  return written(decoded(path), encodeURIComponent);
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** Returns a label for use within a sentence of ours: in its own direction, between characters that mark it. */
export function isolated(label: string): string {
  return rightToLeft.test(label) ? `\u2068${label}\u2069` : label;
}
