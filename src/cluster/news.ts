/** Wakes one that waits for news. */
export class News {
  /** Resolves when there may be news; another one takes its place then. */
  private come = Promise.withResolvers<void>();

  tell(): void {
    this.come.resolve();
  }

  /** Resolves when there was news since it last did. */
  async next(): Promise<void> {
    await this.come.promise;
    this.come = Promise.withResolvers<void>();
  }
}
