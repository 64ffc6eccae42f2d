/** The line for a website's pages, as a browser and the server read it. */
import { expect, test } from "bun:test";
import { isLocal, snippetOf } from "../../src/web/lib/set-up/snippet.ts";

test("the line is a deferred script that names its website", () => {
  expect(snippetOf("https://stats.example", "script.js", "example.com")).toBe(
    '<script defer src="https://stats.example/script.js?h=example.com"></script>',
  );
});

test("a parser of HTML finds one script with that address", async () => {
  const found: (string | null)[] = [];
  const rewriter = new HTMLRewriter().on("script[defer]", {
    element: (element) => void found.push(element.getAttribute("src")),
  });
  const line = snippetOf("https://stats.example:8443", "s.js", "xn--bcher-kva.example");
  await rewriter.transform(new Response(`<head>${line}</head>`)).text();
  expect(found).toEqual(["https://stats.example:8443/s.js?h=xn--bcher-kva.example"]);
});

test.each(["localhost", "app.localhost", "127.0.0.1", "127.1.2.3", "[::1]"])("%s is this machine", (host) => {
  expect(isLocal(host)).toBe(true);
});

test.each(["stats.example", "localhost.example", "notlocalhost", "192.168.0.1", "127.example.com", "[::2]"])(
  "%s is not only this machine",
  (host) => {
    expect(isLocal(host)).toBe(false);
  },
);
