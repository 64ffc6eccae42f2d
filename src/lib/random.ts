/** Chance as an argument: everything that depends on chance takes a Random, and tests bring a seeded one. */
export interface Random {
  /** Returns `count` bytes that nobody can predict. */
  bytes(count: number): Uint8Array;
}

export const systemRandom: Random = {
  bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
};
