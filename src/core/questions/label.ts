/**
 * Makes texts by strangers (paths, campaigns, properties, links to the dashboard) safe to show among other text: they
 * cannot reverse the text around them, and invisible characters are written out.
 */

/** Variation selectors, which choose another shape of the sign before them, and marks that have no shape themselves. */
const selectors = String.raw`\u180b-\u180d\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}`;
const shapeless = String.raw`\u034f\u17b4\u17b5${selectors}`;
const emoji = String.raw`(?=\p{Emoji})\p{Extended_Pictographic}`;
const mongolian = String.raw`(?=\p{Letter})\p{Script=Mongolian}`;

/**
 * Invisible characters that join several characters into one sign, or choose its shape: they stay as they are. What they stand
 * beside is never written out, so that a label that is shown twice does not change.
 */
const joining = [
  // The flags of England, Scotland and Wales.
  String.raw`\u{1f3f4}[\u{e0030}-\u{e007a}]{3,6}\u{e007f}`,
  // Emoji made of several.
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]|${emoji}\ufe0f)\u200d(?=\p{Extended_Pictographic})`,
  // Persian words, the letters of India and its neighbours. The Arabic mark of direction is written out itself.
  String.raw`(?<=[\p{Script=Arabic}\p{Mark}])(?<![\u061c${shapeless}])[\u200c\u200d]`,
  String.raw`[\u200c\u200d](?=\p{Mark})(?![${shapeless}])`,
  // Emoji as a picture or as text, and the keys of a telephone.
  String.raw`(?<=${emoji})[\ufe0e\ufe0f]`,
  String.raw`(?<=[0-9#*])\ufe0f(?=\u20e3)`,
  // Letters that are written in several ways.
  String.raw`(?<=\p{Script=Han})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]`,
  String.raw`(?<=${mongolian})[\u180b-\u180d\u180f]`,
  String.raw`(?<=${mongolian}[\u180b-\u180d\u180f])[\u200c\u200d]`,
  String.raw`(?<=(?=\p{Letter})[\p{Script=Myanmar}\p{Script=Phags_Pa}\p{Script=Manichaean}])\ufe00`,
  String.raw`(?<=(?=\p{Letter})\p{Script=Egyptian_Hieroglyphs})[\ufe00-\ufe06]`,
];
/**
 * The invisible characters: control characters, separators of lines and paragraphs, letters that fill a place (Hangul, Khmer),
 * marks without a shape, a sign of Braille without a dot, and format characters except for the Arabic signs among them, which
 * are visible.
 */
const unseen = String.raw`([\p{Cc}\p{Zl}\p{Zp}\ufff9-\ufffb\u115f\u1160\u2800\u3164\uffa0${shapeless}]|(?=\p{Default_Ignorable_Code_Point})\p{Cf})`;
const either = new RegExp([...joining, unseen].join("|"), "gu");
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
