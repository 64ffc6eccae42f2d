/** What the tracker is called on this server, which says so in the page. */
export const scriptName = document.documentElement.dataset["script"] ?? "script.js";
