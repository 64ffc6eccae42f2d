/**
 * `npm test [-- folder or file …]`: the tests, in two processes that share the files, because many of them wait for
 * browsers and servers. One seed for both, so that one line repeats a failure.
 */
const seed = process.env["FOOTFALL_SEED"] ?? String(Math.floor(Math.random() * 0xffffffff));
console.log(`FOOTFALL_SEED=${seed}`);
const { exitCode } = Bun.spawnSync(
  [process.execPath, "test", "--parallel=2", "--no-isolate", ...Bun.argv.slice(2)],
  { env: { ...process.env, FOOTFALL_SEED: seed }, stdio: ["inherit", "inherit", "inherit"] },
);
process.exit(exitCode);
