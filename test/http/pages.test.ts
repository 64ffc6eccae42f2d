import { beforeAll, describe, expect, test } from "bun:test";
import { TestServer } from "../support/http.ts";

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.open();
});

describe("the page", () => {
  test("is served at the root and for every view of the dashboard", async () => {
    const html = await (await server.ask("GET", "/")).text();
    expect(html).toStartWith("<!doctype html>");
    for (const path of ["/dashboard", "/dashboard/", "/dashboard/example.com/pages?x=y"]) {
      const response = await server.ask("GET", path);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(await response.text()).toBe(html);
    }
    expect((await server.ask("GET", "/dashboards")).status).toBe(404);
    expect((await server.ask("GET", "/api/")).status).toBe(404);
  });

  test("runs its own script only, and holds no other", async () => {
    const response = await server.ask("GET", "/");
    const policy = response.headers.get("content-security-policy");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain("unsafe");
    const html = await response.text();
    expect(html).not.toMatch(/<script(?![^>]* src="\/app\.js")|<style| style=| on\w+=|javascript:/);
  });

  test("its script is valid, and finds what it looks for in the page", async () => {
    const response = await server.ask("GET", "/app.js");
    expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    const script = await response.text();
    new Bun.Transpiler({ loader: "js" }).transformSync(script);
    const html = await (await server.ask("GET", "/")).text();
    const ids = [...script.matchAll(/element\("(\w+)"\)/g)].map(([, id]) => id);
    expect(ids.length).toBeGreaterThan(3);
    for (const id of ids) expect(html).toContain(`id="${id}"`);
  });
});
