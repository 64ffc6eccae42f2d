/** A list that belongs to a website, whose entries have ids that are never used again. */

export interface Listed<T extends { readonly id: number }> {
  readonly nextId: number;
  readonly list: readonly T[];
}

export const nothingListed: Listed<never> = { nextId: 1, list: [] };
