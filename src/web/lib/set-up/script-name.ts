/** The tracker's name on this server, which the page contains. */
export const scriptName = document.documentElement.dataset["script"] ?? "script.js";
