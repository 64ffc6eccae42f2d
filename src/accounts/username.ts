/** What an account may be called, and which names are the same. */
import { badInput } from "../core/refusal.ts";

export const usernameCharactersMin = 3;
export const usernameCharactersMax = 48;

// Control, format and unpaired surrogate characters, and line breaks: names that look equal would differ.
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/**
 * The name to store: 3 to 48 characters (code points) that can be seen, inner spaces allowed, composed (NFC).
 * Anything else is a Refusal 400.
 */
export function parseUsername(text: string): string {
  const username = text.normalize("NFC");
  const characters = [...username].length;
  const valid =
    characters >= usernameCharactersMin &&
    characters <= usernameCharactersMax &&
    !invisible.test(username) &&
    username.trim() === username;
  if (valid) return username;
  const expected = `${usernameCharactersMin} to ${usernameCharactersMax} visible characters without space around them`;
  throw badInput("username", text, expected);
}

/** Equal for names that are the same but for case and composition. */
export function usernameKey(username: string): string {
  return username.normalize("NFC").toLowerCase();
}
