import type { LogRecord } from "../../src/record/record.ts";
import { userAdded, websiteAdded } from "./account-records.ts";

/** Adds the account ada, which has the id 1, and websites of hers, with ids from 1 on. */
export async function addWebsites(
  engine: { commit(record: LogRecord): Promise<unknown> },
  ...hostnames: readonly string[]
): Promise<void> {
  await engine.commit(userAdded(1, "ada"));
  for (const [at, hostname] of hostnames.entries()) await engine.commit(websiteAdded(at + 1, hostname));
}
