/** The commands for API tokens, with which programs come in place of a login. */
import { tokenScopes } from "../../core/api-token.ts";
import type { Command } from "../command.ts";
import { withControl } from "../control/control.ts";
import { printRows, printSecret } from "../terminal/terminal.ts";

const user = { name: "user", placeholder: "NAME" } as const;

export const tokenAdd: Command = {
  words: ["token", "add"],
  operands: ["NAME"],
  flags: [
    {
      name: "scope",
      placeholder: tokenScopes.join("|"),
      required: true,
      description: "see the statistics, send hits, or change what the account may change",
    },
    {
      name: "website",
      placeholder: "HOST",
      description: "the one website that it is for; without it all of the account",
    },
    { ...user, description: "the account that it is of; without it the oldest one" },
  ],
  description: "Make an API token, and print it, this one time",
  run: async (call) => {
    const { flags } = call;
    const token = await withControl(call, (control) =>
      control.addToken({
        name: call.operands[0]!,
        scope: flags.get("scope") ?? "",
        hostname: flags.get("website") ?? null,
        username: flags.get("user") ?? "",
      }),
    );
    printSecret(
      call.terminal,
      token,
      "the token was made, and nobody has seen it: 'footfall token list' has its id, and 'footfall token remove ID' revokes it",
    );
    call.terminal.note('Programs send it as "Authorization: Bearer". It is not shown again.');
  },
};

export const tokenList: Command = {
  words: ["token", "list"],
  flags: [{ ...user, description: "only those of this account" }],
  description:
    "List the API tokens: id, name, scope, website, account and day of the last use, separated by a tab",
  run: async (call) => {
    const username = call.flags.get("user") ?? "";
    const tokens = await withControl(call, (control) => control.tokens({ username }));
    const rows = tokens.map(({ id, name, scope, hostname, username, used }) => [
      id,
      name,
      scope,
      hostname ?? "all websites",
      username,
      used ?? "never",
    ]);
    printRows(call.terminal, rows, "no API token yet: 'footfall token add NAME --scope SCOPE' makes one");
  },
};

export const tokenRemove: Command = {
  words: ["token", "remove"],
  operands: ["ID"],
  description: "Revoke an API token, by the id that 'token list' prints",
  run: async (call) => {
    const id = call.operands[0]!;
    await withControl(call, (control) => control.removeToken({ id }));
    call.terminal.print(`revoked ${id}`);
  },
};
