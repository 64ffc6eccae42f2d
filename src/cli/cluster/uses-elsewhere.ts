/**
 * The uses of sessions and tokens on a node that does not sequence: they are passed on, and whoever asked something does not
 * wait for it. So questions are answered at once also while nobody sequences.
 */
import type { Outcome } from "../../core/outcome.ts";
import { Refusal } from "../../core/refusal.ts";
import type { Logger } from "../../lib/log.ts";
import type { LogRecord } from "../../record/record.ts";

export type Use = { readonly session: string } | { readonly token: string };

export class UsesElsewhere {
  /** The sessions and tokens whose use is being passed on. */
  private readonly underWay = new Set<string>();

  /** `pass`: passes a use on to the node that sequences. */
  constructor(
    private readonly pass: (use: Use) => Promise<unknown>,
    private readonly logger: Logger,
  ) {}

  /** Passes the use on of which a record tells. Rejects with Refusal 500 for all other records. */
  async log(record: LogRecord): Promise<Outcome> {
    if (record.kind === "sessionRenewed") this.begin(record.sessionId, { session: record.sessionId });
    else if (record.kind === "tokenUsed") this.begin(record.tokenId, { token: record.tokenId });
    else throw new Refusal(500, "another server of the cluster stores this: try again", 1);
    return "done";
  }

  private begin(id: string, use: Use): void {
    if (this.underWay.has(id)) return;
    this.underWay.add(id);
    const onError = (error: unknown) => {
      // The next use is passed on.
      if (!(error instanceof Refusal)) this.logger.error("a use was not noted", { error: String(error) });
    };
    void this.pass(use)
      .catch(onError)
      .finally(() => this.underWay.delete(id));
  }
}
