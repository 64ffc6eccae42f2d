/**
 * A test that takes longer hangs; on a busy machine one takes ten times as long as else. `npm test` gives it to all
 * tests: Bun's own is 5 seconds, and bunfig.toml cannot say another. Long tests set it too, for who runs them with Bun.
 */
export const testTimeoutMs = 600_000;
