/** Mail addresses as most mail servers take them: without comments, quotes and other scripts before the `@`. */
import { parseHostname } from "../addresses/hostname.ts";
import { addressCharactersMax } from "./subscription.ts";

const localPart = /^(?!\.)(?!.*\.(\.|$))[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}$/;

/** Returns an address in small letters, with its host in ASCII form; undefined for a text that is none. */
export function parseMailAddress(text: string): string | undefined {
  const at = text.lastIndexOf("@");
  const local = text.slice(0, Math.max(at, 0)).toLowerCase();
  const host = parseHostname(text.slice(at + 1));
  if (!localPart.test(local) || host === undefined) return undefined;
  const address = `${local}@${host}`;
  return address.length <= addressCharactersMax ? address : undefined;
}
