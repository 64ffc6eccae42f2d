/** The blocks that a question selects, one after the other, each with rows of its own. */
import type { Selection } from "../../src/core/questions/query.ts";
import type { Block } from "../../src/query/rows/block.ts";
import { QueryContext } from "../../src/query/cache/context.ts";
import { visitSelected } from "../../src/query/rows/select.ts";
import type { ReadSite } from "../../src/store/mirror/read-site.ts";

export function selectBlocks(
  site: ReadSite,
  selection: Selection,
  context = new QueryContext(site),
): Block[] {
  const blocks: Block[] = [];
  visitSelected(selection, context, (block) => blocks.push({ ...block, rows: block.rows.slice() }));
  return blocks;
}
