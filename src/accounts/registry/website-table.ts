/**
 * The websites by their hostnames: each has a name, and may have other hostnames, whose hits count there too. Visitors take a
 * hostname and its `www.` forms for one. So the names that differ only in these belong to one account; other hostnames are
 * kept without `www.`, and no website has a form of one for its name.
 */
import { wwwForms } from "../../core/addresses/hostname.ts";
import type { Website } from "../account.ts";
import { Table } from "./table.ts";

export type Hostnames = Omit<WebsiteTable, "put" | "remove">;

export class WebsiteTable extends Table<number, Website> {
  constructor() {
    super(
      ({ websiteId }) => websiteId,
      ({ hostname, aliases }) => [hostname, ...aliases],
    );
  }

  named(hostname: string): Website | undefined {
    const website = this.find(hostname);
    return website?.hostname === hostname ? website : undefined;
  }

  /** Returns the websites that have a form of a hostname for their name. */
  namedLike(hostname: string): readonly Website[] {
    return wwwForms(hostname)
      .map((form) => this.named(form))
      .filter((website) => website !== undefined);
  }

  /** Returns the website that has a form of a hostname among its others. */
  aliasedBy(hostname: string): Website | undefined {
    const [bare = ""] = wwwForms(hostname);
    const website = this.find(bare);
    return website?.aliases.includes(bare) ? website : undefined;
  }

  /**
   * Returns the website for a hit's hostname. If only the hostname without `www.` belongs to a website, or only the one with
   * it, that one counts.
   */
  forHit(hostname: string): Website | undefined {
    const other = hostname.startsWith("www.") ? hostname.slice(4) : `www.${hostname}`;
    return this.find(hostname) ?? this.find(other);
  }

  /**
   * Whether a website may not have a name: another has it, has it among its others, or has a form of it and is of another
   * account than `userId`, if that is given. `website`: the one that is to have it, if it is there already.
   */
  isTaken(hostname: string, userId?: number, website?: Website): boolean {
    const isOther = (one: Website | undefined) => one !== undefined && one !== website;
    if (isOther(this.named(hostname)) || isOther(this.aliasedBy(hostname))) return true;
    return userId !== undefined && this.namedLike(hostname).some((form) => form.userId !== userId);
  }

  /** Returns the website, another than this one, to which a form of a hostname belongs. */
  holderOf(hostname: string, { websiteId }: Website): Website | undefined {
    const holders = [...this.namedLike(hostname), this.aliasedBy(hostname)];
    return holders.find((holder) => holder !== undefined && holder.websiteId !== websiteId);
  }

  /** Whether a hostname may be one of the others of a website: no form of it is its name, or belongs to another. */
  mayBeAlias(hostname: string, website: Website): boolean {
    return !wwwForms(hostname).includes(website.hostname) && this.holderOf(hostname, website) === undefined;
  }
}

/** Returns the hostnames but for those that are a form of one. */
export function withoutForms(hostnames: readonly string[], hostname: string): readonly string[] {
  const forms = new Set(wwwForms(hostname));
  return hostnames.filter((form) => !forms.has(form));
}
