/**
 * Says who may count on a website, as its owner decides: what is blocked, whether crawlers and referrer spam count after
 * all, and which referrers are not a source. A website without rules has `noRules`.
 */

export interface Rules {
  /** Blocked IPv4 and IPv6 addresses and networks (core/addresses/network.ts). */
  readonly networks: readonly string[];
  /** Blocked countries: ISO 3166-1 alpha-2 codes, "" for those that no time zone tells. */
  readonly countries: readonly string[];
  /** Blocked paths as they are stored; one that ends in * blocks all paths that begin so. Case does not count. */
  readonly paths: readonly string[];
  /** Blocked hosts of referrers, in lower case and without `www.`, each with its subdomains. */
  readonly referrers: readonly string[];
  readonly countsCrawlers: boolean;
  readonly countsSpam: boolean;
  /**
   * Hosts of referrers that are not a source, such as those of payment providers, in the form of `referrers`: a page view
   * from there counts as one from the website itself.
   */
  readonly ignoredReferrers: readonly string[];
}

export const noRules: Rules = {
  networks: [],
  countries: [],
  paths: [],
  referrers: [],
  countsCrawlers: false,
  countsSpam: false,
  ignoredReferrers: [],
};

/** The most entries of each list. */
export const ruleEntriesMax = 100;
