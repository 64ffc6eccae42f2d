/** Values that this browser keeps, with storage that works, that holds nonsense, and that is forbidden. */
import { expect, test } from "bun:test";
import { kept, type Keeper } from "../../src/web/lib/kept.ts";

const colours = ["red", "green"] as const;

function storageWith(entries: readonly (readonly [string, string])[] = []) {
  const map = new Map(entries);
  const storage: Keeper = {
    getItem: (key) => map.get(key) ?? null,
    setItem: (key, value) => void map.set(key, value),
  };
  return { map, storage };
}

test("it starts as the first value, and nothing is written before it changes", () => {
  const { map, storage } = storageWith();
  expect(kept<string>("colour", colours, () => storage).value).toBe("red");
  expect(map.size).toBe(0);
});

test("what it becomes is there at the next visit", () => {
  const { storage } = storageWith();
  kept<string>("colour", colours, () => storage).value = "green";
  expect(kept<string>("colour", colours, () => storage).value).toBe("green");
  expect(kept<string>("other", colours, () => storage).value).toBe("red");
});

test("a value that is false is kept like any other", () => {
  const { storage } = storageWith();
  kept<boolean>("on", [true, false], () => storage).value = false;
  expect(kept<boolean>("on", [true, false], () => storage).value).toBe(false);
});

test.each(["blue", '"blue"', "", "{", "null"])("%p in the storage is none of the values", (text) => {
  const { storage } = storageWith([["colour", text]]);
  expect(kept<string>("colour", colours, () => storage).value).toBe("red");
});

test("where the browser forbids storage, it lasts as long as the page", () => {
  const forbidden = () => {
    throw new Error("The operation is insecure.");
  };
  const colour = kept<string>("colour", colours, forbidden);
  colour.value = "green";
  expect(colour.value).toBe("green");
});

test("where the storage is full, it lasts as long as the page", () => {
  const { storage } = storageWith();
  const full: Keeper = {
    ...storage,
    setItem: () => {
      throw new Error("The quota has been exceeded.");
    },
  };
  const colour = kept<string>("colour", colours, () => full);
  colour.value = "green";
  expect(colour.value).toBe("green");
});
