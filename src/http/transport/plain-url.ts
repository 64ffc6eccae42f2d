/**
 * Elysia finds the path of a URL only behind `http://` and a host, from a fixed place on. Bun gives a request over TLS
 * `https://`, and one whose `Host` is missing or no host the path alone.
 */

/** No page has such an origin. */
const noHost = "http://host.invalid";

/** Returns the request with such a URL. It stays the same object: Bun knows its connection by it. */
export function withPlainUrl(request: Request): Request {
  const { url } = request;
  if (url.startsWith("http://")) return request;
  const value = url.startsWith("/") ? noHost + url : url.replace(/^https/, "http");
  return Object.defineProperty(request, "url", { value });
}
