/** The names that an account may have, and which names count as the same. */
import { badInput } from "../core/refusal.ts";

export const usernameCharactersMin = 3;
export const usernameCharactersMax = 48;
/** A text with more is no name, however its characters are composed. Composing 64 KiB of accents takes ten seconds. */
const composedCharactersMax = 512;

// Control, format and unpaired surrogate characters, line breaks, and all else that has no shape: names that look equal would differ.
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** Several spaces look like one, and so do others than the usual and that of Japanese. */
const ambiguous = /\s\s|[^\S \u3000]/u;

/**
 * Returns the name to store of an account that gets one: 3 to 48 visible characters (code points), single spaces between
 * them allowed, composed (NFC). Throws Refusal 400 for anything else. Names from before a rule stay, and are never parsed
 * again.
 */
export function parseUsername(text: string): string {
  const username = composed(text);
  const characters = [...username].length;
  const valid =
    characters >= usernameCharactersMin &&
    characters <= usernameCharactersMax &&
    !invisible.test(username) &&
    !ambiguous.test(username) &&
    username.trim() === username;
  if (valid) return username;
  const expected = `${usernameCharactersMin} to ${usernameCharactersMax} visible characters with single spaces between them only`;
  throw badInput("username", text, expected);
}

/** Returns a key that is equal for names which differ only in case and composition. */
export function usernameKey(username: string): string {
  return composed(username).toLowerCase();
}

function composed(text: string): string {
  return text.length > composedCharactersMax ? text : text.normalize("NFC");
}
