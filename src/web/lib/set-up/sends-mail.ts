/** Whether the server sends mail, which the page says. */
export const sendsMail = document.body.dataset["mail"] !== "no";
