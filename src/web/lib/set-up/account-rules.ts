/** The server's rules for names and passwords, shown before it has to refuse one. */
import { t } from "../texts/words.ts";

export const usernameRules = { required: true, minLength: 3, maxLength: 48 } as const;
export const usernameHint = t("{min} to {max} characters.", {
  min: usernameRules.minLength,
  max: usernameRules.maxLength,
});

export const newPasswordRules = { required: true, minLength: 8, maxLength: 128 } as const;
export const passwordHint = t("{min} to {max} characters. Longer is better than complicated.", {
  min: newPasswordRules.minLength,
  max: newPasswordRules.maxLength,
});
