/** The server's rules for names and passwords, shown before it has to refuse one. */

export const usernameRules = { required: true, minLength: 3, maxLength: 48 } as const;
export const usernameHint = `${usernameRules.minLength} to ${usernameRules.maxLength} characters.`;

export const newPasswordRules = { required: true, minLength: 8, maxLength: 128 } as const;
export const passwordHint = `${newPasswordRules.minLength} to ${newPasswordRules.maxLength} characters. Longer is better than complicated.`;
