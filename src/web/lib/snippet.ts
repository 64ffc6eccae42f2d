/** The line that a website needs in its pages. */

/**
 * With the hostname the script has the features of the account that owns the website, whoever else has an account
 * on the server. `origin` and `script` are where the script comes from.
 */
export function snippetOf(origin: string, script: string, hostname: string): string {
  return `<script defer src="${origin}/${script}?h=${encodeURIComponent(hostname)}"></script>`;
}

/** Whether an address leads to the machine that it is opened on, and so nowhere from anybody else's. */
export function isLocal(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
