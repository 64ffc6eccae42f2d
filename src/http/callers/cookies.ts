/** The cookies of a request. Elysia, which writes cookies, reads only one of a name. */

/**
 * Returns every value of that name, in the order of the header and not decoded. There can be several: a sibling
 * subdomain may set a cookie of the same name for the whole domain.
 */
export function cookieValues(request: Request, name: string): string[] {
  const pairs = request.headers.get("cookie")?.split(";") ?? [];
  return pairs
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
