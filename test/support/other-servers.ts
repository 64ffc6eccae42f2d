/** A program whose file of name servers changes. Takes a folder for it. Writes which are asked at first, and after each change. */
import { getServers } from "node:dns";
import { writeFileSync } from "node:fs";
import { resolverOf } from "../../src/lib/resolve.ts";

const file = `${process.argv[2]}/resolv.conf`;
const resolve = resolverOf(file);
const asked = [getServers()];
for (const text of [
  undefined,
  "# none\n",
  "nameserver 192.0.2.1\n",
  "search a.example\nnameserver 192.0.2.2 # near\n  nameserver\t2001:db8::1\nnameserver fe80::1%eth0\nnameserver x",
  "",
]) {
  if (text !== undefined) writeFileSync(file, text);
  await resolve("localhost");
  asked.push(getServers());
}
await Bun.write(Bun.stdout, JSON.stringify(asked));
process.exit();
