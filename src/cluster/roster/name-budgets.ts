/**
 * The budgets of names that the nodes have. Names that do not fit are folded for all nodes and for good, so the largest budget counts, also
 * while its node is away: a smaller machine that takes over folds nothing that the others had room for.
 */
import type { Logger } from "../../lib/log.ts";
import type { NodeReport } from "./roster.ts";

export class NameBudgets {
  /** By node, as each said it last, also where it has gone since. */
  private readonly said = new Map<string, number>();
  /** The largest that another node has; 0 before one has said it. */
  largest = 0;

  constructor(
    private readonly own: number,
    private readonly logger: Logger,
  ) {}

  note({ name, nameBytes: bytes }: NodeReport): void {
    if (bytes === undefined || this.said.get(name) === bytes) return;
    this.said.set(name, bytes);
    this.largest = Math.max(...this.said.values());
    if (bytes === this.own) return;
    const text = "nodes have different budgets of names, and the largest counts: give all the same --names";
    this.logger.warn(text, { own: this.own, node: name, bytes });
  }
}
