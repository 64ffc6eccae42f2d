/** All checks, or those that are named, in the order of their speed. Stops at the first that fails. */
const checks: Readonly<Record<string, readonly string[]>> = {
  types: ["check", "--build", "--no-script"],
  format: ["fmt", "--check", "--no-script"],
  tests: ["test/run.ts", "--all"],
  benches: ["test/run.ts", "test/bench"],
};

const asked = Bun.argv.slice(2);
const names = asked.length === 0 ? Object.keys(checks) : asked;
for (const name of names) {
  const args = checks[name];
  if (args === undefined) fail(`no check is called ${name}; there are ${Object.keys(checks).join(", ")}`);
  const { exitCode } = Bun.spawnSync([process.execPath, ...args], {
    cwd: import.meta.dir,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (exitCode !== 0) fail(`${name} failed`);
}
console.log(`check: ${names.join(", ")}: good`);

function fail(message: string): never {
  console.error(`check: ${message}`);
  process.exit(1);
}
