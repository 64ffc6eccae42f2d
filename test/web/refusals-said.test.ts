/** A refusal of the server, as the dashboard says it. */
import { describe, expect, test } from "bun:test";
import { saidBy } from "../../src/web/lib/api.ts";

describe("a refusal in English is a sentence", () => {
  const cases: readonly (readonly [message: string, said: string])[] = [
    ["username or password is wrong", "Username or password is wrong."],
    [
      "email: this server sends no mail: its owner sets FOOTFALL_SMTP",
      "Email: this server sends no mail: its owner sets FOOTFALL_SMTP.",
    ],
    ['hostname: "a.example" is taken', 'Hostname: "a.example" is taken.'],
    [
      "current_password: expected the current password of the account",
      "Current password: enter the current password of the account.",
    ],
    ["name: expected 1 to 100 characters, got nothing", "Name: enter 1 to 100 characters."],
    ["webhook.url: it has to begin with https://", "Webhook url: it has to begin with https://."],
    ['step: expected page:/pricing, got "x"', 'Step: enter page:/pricing, not "x".'],
    [
      'hostname: expected an editor of "a.example", got a viewer',
      'Only an editor of "a.example" may do this, and you are a viewer.',
    ],
    ['"paths[eq]": expected a filter', '"paths[eq]": expected a filter.'],
    ["The server cannot be reached.", "The server cannot be reached."],
    ["", ""],
  ];
  for (const [message, said] of cases) test(said, () => expect(saidBy({ message })).toBe(said));
});
