/** Takes the address of a page for the hostname in it, where people name a website. */

/** Returns the hostname in an address that somebody pasted; other text unchanged, for the server to judge. */
export function pastedHostname(text: string): string {
  const trimmed = text.trim();
  const address = /^https?:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`;
  const looksLikeAddress = /[/:]/.test(trimmed);
  return (looksLikeAddress && URL.parse(address)?.hostname) || trimmed;
}

/** Returns the hostname of an address that says nothing else, such as `https://example.com/`; other text unchanged. */
export function bareHostname(text: string): string {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  return url !== null && `${url.protocol}//${url.hostname}/` === url.href ? url.hostname : text;
}
