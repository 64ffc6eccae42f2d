/** Recognises the proxies of mail programs, which fetch a picture for whoever reads the mail and hide their browser. */

/** Gmail's, Yahoo Mail's, and that of Mail Privacy Protection in Apple Mail, whose user agent is these letters alone. */
const mailProxies = /\(via ggpht\.com GoogleImageProxy\)$|^YahooMailProxy;|^Mozilla\/5\.0$/;

/** Returns whether the user agent is that of such a proxy; programs of other kinds send Apple's, too. */
export function isMailProxy(userAgent: string): boolean {
  return mailProxies.test(userAgent);
}
