/** The commands for accounts. Passwords come from a prompt or from standard input, never as an argument. */
import { parsePassword } from "../../accounts/login/password.ts";
import { parseUsername, usernameKey } from "../../accounts/username.ts";
import { nameTaken } from "../../engine/admin/account/users.ts";
import type { Command } from "../command.ts";
import { withControl } from "../control/control.ts";
import { expectDataFolder } from "../data-folder.ts";
import { count } from "../terminal/progress.ts";
import { confirmed, printRows } from "../terminal/terminal.ts";

export const userAdd: Command = {
  words: ["user", "add"],
  operands: ["NAME"],
  description: "Add an account; asks for its password, or reads it from standard input",
  run: async (call) => {
    const username = parseUsername(call.operands[0]!);
    // It says so if the name is taken, before anything is asked.
    if (!expectDataFolder(call.settings.folder, true)) {
      const users = await withControl(call, (control) => control.users(null));
      const key = usernameKey(username);
      if (users.some((user) => usernameKey(user.username) === key)) throw nameTaken(username);
    }
    const password = parsePassword(await call.terminal.readPassword(username));
    // The first account may be there before the first start: no folder is begun for one that would be refused.
    await withControl(call, (control) => control.addUser({ username, password }), true);
    call.terminal.print(`added ${username}`);
  },
};

export const userPassword: Command = {
  words: ["user", "password"],
  operands: ["NAME"],
  description: "Change a password and log the account out everywhere",
  run: async (call) => {
    const username = call.operands[0]!;
    // It says so if there is no such account, before anything is asked. Nobody waits for the folder meanwhile.
    await withControl(call, (control) => control.tokens({ username }));
    const password = await call.terminal.readPassword(username);
    await withControl(call, (control) => control.changePassword({ username, password }));
    call.terminal.print(`changed the password of ${username}`);
  },
};

export const userList: Command = {
  words: ["user", "list"],
  description:
    "List the accounts, the oldest first, with the number of their websites, and who has a second factor",
  run: async (call) => {
    const users = await withControl(call, (control) => control.users(null));
    const rows = users.map(({ username, websites, hasSecondFactor }) => [
      username,
      count(websites, "website"),
      ...(hasSecondFactor ? ["second factor"] : []),
    ]);
    printRows(call.terminal, rows, "no account yet: 'footfall user add NAME' adds one");
  },
};

export const userRemoveSecondFactor: Command = {
  words: ["user", "remove-second-factor"],
  operands: ["NAME"],
  description: "Let an account log in with its password alone, as after the loss of a phone",
  run: async (call) => {
    const username = call.operands[0]!;
    await withControl(call, (control) => control.removeSecondFactor({ username }));
    call.terminal.print(`${username} logs in without a second factor now`);
  },
};

export const userRemove: Command = {
  words: ["user", "remove"],
  operands: ["NAME"],
  flags: [{ name: "yes" }],
  description: "Remove an account, and the websites that nobody else owns; asks first",
  run: async (call) => {
    const username = call.operands[0]!;
    const isRemoved = await withControl(call, async (control) => {
      // It says so if there is no such account, before anything is asked.
      const websites = await control.ownedAlone({ username });
      const go =
        websites.length === 0
          ? ""
          : `, with the statistics of ${count(websites.length, "website")} that nobody else owns: ${websites.join(", ")}`;
      const question = `Remove ${username} for good${go}?`;
      if (!call.flags.has("yes") && !(await confirmed(call.terminal, question))) return false;
      await control.removeUser({ username });
      return true;
    });
    if (isRemoved) call.terminal.print(`removed ${username}`);
  },
};
