/** A start tells who lets everybody claim any address. */
import { expect, test } from "bun:test";
import { withFolder } from "../support/folder.ts";
import { useExecutable } from "../support/executable.ts";
import { runToEnd } from "../support/server.ts";

const executable = [useExecutable()];

test.each([
  ["0.0.0.0/0", 1],
  ["loopback, ::/0", 1],
  ["loopback, 172.16.0.0/12, 0.0.0.0", 0],
])("--trust-proxy %p has %i warnings", (trusted, warnings) =>
  withFolder(async (folder) => {
    // The certificate without its key ends the start.
    const args = ["--trust-proxy", trusted, "--tls-cert", "none.pem"];
    const { exitCode, errors } = await runToEnd(executable, folder, args);
    expect([exitCode, errors.split("anybody may claim any address").length - 1]).toEqual([2, warnings]);
  }),
);
