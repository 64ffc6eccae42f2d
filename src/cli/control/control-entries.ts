/**
 * The entries that the control socket takes and answers with: accounts, websites, members, pages, exports, and the progress
 * of imports.
 */
import type { ExportEnding, ExportKind } from "../../core/questions/exported.ts";
import type { Role } from "../../core/website/role.ts";
import type { RecordOf } from "../../record/record.ts";

export interface WebsiteEntry {
  readonly hostname: string;
  readonly username: string;
}

export interface UserEntry {
  readonly username: string;
  /** How many websites it can read. */
  readonly websites: number;
  readonly hasSecondFactor: boolean;
}

export interface MemberEntry {
  readonly username: string;
  readonly role: Role;
}

/** The address of a server, as far as its settings say it. */
export interface Place {
  /** The path below which everything is; "" for none. */
  readonly base: string;
  /** The public address, with the base; undefined if no setting has it. */
  readonly url?: string | undefined;
}

/** The address of a page. `path` begins after the base. */
export interface PageAddress extends Place {
  readonly path: string;
}

export interface ExportInput {
  readonly hostname: string;
  readonly of: ExportKind;
  readonly ending: ExportEnding;
  /** RFC 3339 date-times, both inclusive; without them all time is asked for. */
  readonly start?: string;
  readonly end?: string;
}

/** The page views of one commit of an import. */
export type ImportBatch = Omit<RecordOf<"import">, "kind" | "timeMs">;

/**
 * The progress of a file's import: the position reached, and the SHA-256 (hex) of the file up to there; 0 and "" for
 * none.
 */
export interface ImportState {
  readonly websiteId: number;
  /** The website's hostname as it is registered. */
  readonly hostname: string;
  readonly position: number;
  readonly digest: string;
  /** The page views of visits that went on at the position are not imported yet. */
  readonly isPartial: boolean;
  /** Whether the website has visits. */
  readonly visits: boolean;
  /** Page views before this are not kept, in milliseconds since 1970; 0 keeps all. */
  readonly keptFromMs: number;
}
