/**
 * The budgets of names that the nodes have. Names that do not fit are folded for all nodes and for good, so the largest budget counts, also
 * while its node is away: a smaller machine that takes over folds nothing that the others had room for.
 */
import type { Logger } from "../../lib/log.ts";
import { folderOf } from "./node-name.ts";
import type { NodeReport } from "./roster.ts";

export class NameBudgets {
  /** By the folder of a node, as each said it last, also where it has gone since: a restart is the same node. */
  private readonly said = new Map<string, number>();
  /** The largest that another node has; 0 before one has said it. */
  largest = 0;

  constructor(
    private readonly own: number,
    private readonly logger: Logger,
  ) {}

  note({ name, nameBytes: bytes }: NodeReport): void {
    const folder = folderOf(name);
    if (bytes === undefined || this.said.get(folder) === bytes) return;
    this.said.set(folder, bytes);
    this.largest = Math.max(...this.said.values());
    if (bytes === this.own) return;
    const text = "nodes have different budgets of names, and the largest counts: give all the same --names";
    this.logger.warn(text, { own: this.own, node: name, bytes });
  }
}
