import { describe, expect, test } from "bun:test";
import { Recency, type Linked } from "../../src/lib/collections/recency.ts";
import { randomFrom } from "../support/random.ts";
import { seed } from "../support/seed.ts";

interface Thing extends Linked<Thing> {
  readonly name: number;
}

describe("things by their last use", () => {
  test("are in the order of an array that does the same", () => {
    const random = randomFrom(seed());
    const list = new Recency<Thing>();
    let model: Thing[] = [];
    for (let step = 0; step < 2_000; step++) {
      const chance = random();
      const at = Math.floor(random() * model.length);
      const thing = model[at];
      if (thing === undefined || chance < 0.3) {
        const added: Thing = { name: step, older: undefined, newer: undefined };
        list.add(added);
        model.push(added);
      } else if (chance < 0.7) {
        list.use(thing);
        model = [...model.toSpliced(at, 1), thing];
      } else {
        list.remove(thing);
        model.splice(at, 1);
      }
      expect(list.oldest?.name).toBe(model[0]?.name);
    }
    for (const { name } of model) {
      const { oldest } = list;
      expect(oldest?.name).toBe(name);
      list.remove(oldest as Thing);
    }
    expect(list.oldest).toBeUndefined();
  });
});
