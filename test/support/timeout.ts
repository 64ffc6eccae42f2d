/**
 * A test that takes longer than this hangs; on a busy machine a test takes ten times as long as usual. `npm test` sets
 * the limit for all tests: Bun's own is 5 seconds, and bunfig.toml cannot state another.
 */
export const testTimeoutMs = 600_000;
