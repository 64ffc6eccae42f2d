/** A script for pages in tests that keeps, before the tracker runs, what the page sends and what goes wrong in it. */
import type { Tab } from "./chromium.ts";

export const watchedPage = `<script>
  sent = [];
  errors = [];
  const ownFetch = fetch;
  self.fetch = (url, options) => (sent.push([String(url), options.body ?? null]), ownFetch(url, options));
  onerror = (message) => { errors.push(message) };
  onunhandledrejection = ({ reason }) => { errors.push(String(reason)) };
</script>`;

/** Requests of the page that is open, in their order, as they began. */
const sentBy = (tab: Tab) => tab.evaluate<(readonly [url: string, body: string | null])[]>("sent");

/** The page views, by path: each asks whether its page was seen. */
export async function viewsSentBy(tab: Tab): Promise<string[]> {
  return (await sentBy(tab)).flatMap(([url]) => {
    const page = new URL(url).searchParams.get("u") ?? "";
    return page.includes("/") ? [page.slice(page.indexOf("/"))] : [];
  });
}

/** The properties of each event. */
export async function eventsSentBy(tab: Tab): Promise<Record<string, unknown>[]> {
  return (await sentBy(tab)).flatMap(([, body]) => {
    const { d } = JSON.parse(body ?? "{}") as { d?: Record<string, unknown> };
    return d === undefined ? [] : [d];
  });
}
