/** The commands for accounts. Passwords come from a prompt or from standard input, never as an argument. */
import type { Call, Command } from "../command.ts";
import { withControl } from "../control.ts";

export const userAdd: Command = {
  words: ["user", "add"],
  operands: ["NAME"],
  flags: [],
  description: "Add an account; asks for its password, or reads it from standard input",
  run: (call) => withPassword(call, "addUser", "added"),
};

export const userPassword: Command = {
  words: ["user", "password"],
  operands: ["NAME"],
  flags: [],
  description: "Change a password and log the account out everywhere",
  run: (call) => withPassword(call, "changePassword", "changed the password of"),
};

async function withPassword(call: Call, name: "addUser" | "changePassword", done: string): Promise<void> {
  const username = call.operands[0] as string;
  const password = await call.terminal.readPassword(username);
  await withControl(call, (control) => control[name]({ username, password }));
  call.terminal.print(`${done} ${username}`);
}
