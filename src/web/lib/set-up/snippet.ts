/** The line that a website needs in its pages. */

/**
 * Returns the line. It includes the hostname, so that the script has the features of the account that owns the website,
 * whoever else has an account on the server. The script comes from `origin` and `script`.
 */
export function snippetOf(origin: string, script: string, hostname: string): string {
  return `<script defer src="${origin}/${script}?h=${encodeURIComponent(hostname)}"></script>`;
}

/** Returns whether an address leads to the machine on which it is opened, so that it is useless to anybody else. */
export function isLocal(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
