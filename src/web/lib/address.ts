/**
 * The address of the page as a signal. Everything in a view that somebody may want to send as a link is in it; all
 * other state belongs to a component.
 */
import { computed, signal } from "@preact/signals";
import { routeOf } from "./routes.ts";

export interface Address {
  readonly path: string;
  readonly search: URLSearchParams;
}

function current(): Address {
  return { path: location.pathname, search: new URLSearchParams(location.search) };
}

export const address = signal<Address>(current());

addEventListener("popstate", () => {
  address.value = current();
});

/** Shows another view, as a step of the history or in place of this one. */
export function navigate(href: string, how: "push" | "replace" = "push"): void {
  if (how === "push") history.pushState(null, "", href);
  else history.replaceState(null, "", href);
  address.value = current();
}

/** Returns whether a click on a link leads there in this tab: it asks for no other one, and for no download. */
export function isPlainClick({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean {
  return button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey;
}

/** Turns a click on a link of ours into a step of the history, unless it asks for a new tab or a download. */
export function followLinks(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (link === null || !isPlainClick(event) || event.defaultPrevented) return;
  // Unlike a link in HTML, one in an SVG has no properties for the parts of its address.
  const to = new URL(link.getAttribute("href") ?? "", location.href);
  if (to.origin !== location.origin || link.hasAttribute("target") || link.hasAttribute("download")) return;
  const samePage = to.pathname === location.pathname && to.search === location.search;
  if (samePage && to.hash !== "") return;
  event.preventDefault();
  const samePath = to.pathname === location.pathname;
  navigate(to.pathname + to.search + to.hash);
  if (!samePath) scrollTo(0, 0);
}

export const route = computed(() => routeOf(address.value.path));
