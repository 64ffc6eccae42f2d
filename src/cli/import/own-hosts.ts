/** Tells the rows of a website from those of other hosts, and gives those of its other hostnames their paths. */
import { hostPathOf } from "../../collect/aliased.ts";
import { isUnderWayBefore } from "../../collect/visits/visit-rules.ts";
import { bareHost } from "../../core/addresses/referrer.ts";
import { dimensionIndex } from "../../core/questions/stored-dimension.ts";
import type { Website } from "../../accounts/registry/registry.ts";
import type { Row } from "./formats/format.ts";

/**
 * Returns the row as the website counts it, as it does hits (collect/aliased.ts); undefined for one of another host. A row
 * that does not say its host is of the one that was `asked` for. An export of this program says all of itself.
 */
export function ownRow(
  row: Row,
  { hostname, aliases }: Pick<Website, "hostname" | "aliases">,
  asked: string,
): Row | undefined {
  const name = bareHost(hostname);
  const own = bareHost(row.hostname || asked);
  if (own !== name && !aliases.includes(own)) return undefined;
  if (aliases.length === 0 || row.exported !== undefined) return row;
  const values = [...row.values];
  values[dimensionIndex.path] = hostPathOf(own, aliases) + values[dimensionIndex.path];
  const [before = ""] = values[dimensionIndex.referrer]!.split("/", 1);
  const isInternal = row.isInternal || before === name || aliases.includes(before);
  if (isInternal) values[dimensionIndex.referrer] = "";
  const isUnderWay = row.isUnderWay || (!row.isInternal && isUnderWayBefore({ isInternal, utm: row.utm }));
  return { ...row, values, isInternal, isUnderWay };
}
