import { expect, test } from "bun:test";
import nacl from "tweetnacl";
import own from "../../src/cluster/connection/ed25519.ts";
import { randomBySeed } from "../support/seed.ts";

test("keys and signatures are those of the package that it replaces", () => {
  const random = randomBySeed();
  const bytes = (count: number) => Uint8Array.from({ length: count }, () => random() * 256);
  for (let round = 0; round < 20; round += 1) {
    const key = bytes(32);
    const message = bytes(round * 7);
    const theirs = nacl.sign.keyPair.fromSeed(key);
    const ours = own.sign.keyPair.fromSeed(key);
    const listed = (key: typeof theirs) => [[...key.publicKey], [...key.secretKey]];
    expect(listed(ours)).toEqual(listed(theirs));
    const signed = [own, nacl].map(({ sign }) => [...sign.detached(message, theirs.secretKey)]);
    expect(signed[0]).toEqual(signed[1] as number[]);
  }
});
