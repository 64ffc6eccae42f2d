/** The address of a view, and the link by which it may be shown. */
import type { Filter } from "../../../core/questions/query.ts";
import { includesRole, type Role } from "../../../core/website/role.ts";
import { installHref, sharedHref, websiteHref } from "../routes.ts";

/** A link by which a website is shown to whoever has it. */
export interface SharedLink {
  readonly id: string;
  /** "" of a public link. */
  readonly token: string;
  /** The server adds them to every question. */
  readonly filters: readonly Filter[];
}

export interface View {
  /** The view in whose address it is. */
  readonly view: "website" | "install";
  readonly hostname: string;
  /** The link by which the view is shown; missing in the views of accounts. */
  readonly shared?: SharedLink | undefined;
  /** The role of the account on the website; missing where it does not matter. */
  readonly role?: Role | undefined;
}

/** Returns whether whoever sees the view may do what this role may. */
export function may({ shared, role = "owner" }: Pick<View, "shared" | "role">, least: Role): boolean {
  return shared === undefined && includesRole(role, least);
}

/** Returns the address with these parameters. The token stays in the fragment, which no server sees. */
export function viewHref({ view, hostname, shared }: View, search: string): string {
  if (shared === undefined)
    return (view === "install" ? installHref(hostname) : websiteHref(hostname)) + search;
  return sharedHref(hostname, shared.id) + search + (shared.token === "" ? "" : `#${shared.token}`);
}
