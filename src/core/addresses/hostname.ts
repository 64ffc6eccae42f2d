/**
 * The names that a website may have: letters, digits, hyphens and dots, in the form in which the hostname of a URL
 * comes. Everything that takes a hostname from outside uses it, so that equal names are equal strings.
 */

export const hostnameCharactersMax = 253;

// RFC 1123: labels of 1 to 63 letters, digits and inner hyphens. Other ASCII would be syntax to the URL
// parser (`a/b`, `a:80`, `a@b`, a tab), which must never see it.
const foreignAscii = /[\x00-\x2c\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]/;
const labels = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;
const ipv4 = /^\d+\.\d+\.\d+\.\d+$/;

/**
 * Returns every form of a hostname, itself included, that differs from it only in how many `www.` it begins with, the
 * one with none first. Visitors take them for one website, so they belong to one account.
 */
export function wwwForms(hostname: string): string[] {
  const forms: string[] = [];
  let form = hostname.replace(/^(?:www\.)+/, "");
  for (; form.length <= hostnameCharactersMax; form = `www.${form}`) forms.push(form);
  return forms;
}

/**
 * Returns the hostname in lower case and ASCII form (`Bücher.example` -> `xn--bcher-kva.example`). Returns undefined
 * for a text that is none: a port, an underscore, an empty label, IPv6, shorthand for an address (`127.1`), more than
 * 253 characters. The result is what `new URL` gives for it, so parsing it again changes nothing.
 */
export function parseHostname(text: string): string | undefined {
  if (text.length > hostnameCharactersMax || foreignAscii.test(text)) return undefined;
  const hostname = URL.parse(`http://${text}/`)?.hostname ?? "";
  if (hostname.length > hostnameCharactersMax || !labels.test(hostname)) return undefined;
  return ipv4.test(hostname) && hostname !== text ? undefined : hostname;
}

/** Returns a host without the dot of the root, and without any more, by which one host would have many names. */
export function withoutRoot(host: string): string {
  let end = host.length;
  while (host[end - 1] === ".") end--;
  return host.slice(0, end);
}
