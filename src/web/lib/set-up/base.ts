/** The path below which the server answers, such as /stats; "" at the root. The page contains it. */
export const base = globalThis.document?.documentElement.dataset["base"] ?? "";
