/** The side of its button on which a popover opens. */
import { expect, test } from "bun:test";
import { sideOf } from "../../src/web/parts/dialogs/popup.ts";

test("below, where there is room enough, or more than above", () => {
  expect(sideOf({ top: 100, bottom: 130 }, 800)).toEqual({ below: true, height: 662 });
  expect(sideOf({ top: 560, bottom: 590 }, 800)).toEqual({ below: true, height: 202 });
  expect(sideOf({ top: 100, bottom: 130 }, 300)).toEqual({ below: true, height: 162 });
});

test("above, where below is too little", () => {
  expect(sideOf({ top: 600, bottom: 630 }, 800)).toEqual({ below: false, height: 592 });
});

test("never with a height below nothing", () => {
  expect(sideOf({ top: -50, bottom: -20 }, 0).height).toBeGreaterThanOrEqual(0);
  expect(sideOf({ top: 5, bottom: 900 }, 800).height).toBeGreaterThanOrEqual(0);
});
