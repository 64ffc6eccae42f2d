/** The frame around every view, and the choice of the view by the address. */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { forgetAnswers, useAnswer } from "./lib/answer.ts";
import {
  ApiError,
  call,
  displayOf,
  loggedIn,
  saidBy,
  sessionEnded,
  type ShownWebsite,
  type User,
} from "./lib/api.ts";
import { address, followLinks, navigate, route } from "./lib/address.ts";
import { isolated, label } from "../core/questions/label.ts";
import { loadModules } from "./lib/on-demand.ts";
import { theme, themes } from "./lib/preferences.ts";
import { settingsHref, websitesHref, type Route } from "./lib/routes.ts";
import { announce, Announcer } from "./parts/announcer.tsx";
import { Icon } from "./parts/icon.tsx";
import { Empty, Loading, Unreachable } from "./parts/notice.tsx";
import { onDemand } from "./parts/on-demand.tsx";
import { Tool } from "./parts/tool.tsx";
import { Login, type LoginProps } from "./views/login.tsx";
import { Shared } from "./views/shared.tsx";
import { WebsiteView } from "./views/website.tsx";
import { Websites } from "./views/websites.tsx";
import { follow, t } from "./lib/texts/words.ts";

const DefinitionsView = onDemand(
  async () => (await import("./views/definitions.tsx")).DefinitionsView,
  Loading,
);
const Install = onDemand(async () => (await import("./views/install.tsx")).Install, Loading);
const InvitationView = onDemand(async () => (await import("./views/invitation.tsx")).InvitationView, Loading);
const LiveView = onDemand(async () => (await import("./views/live.tsx")).LiveView, Loading);
const Settings = onDemand(async () => (await import("./views/settings.tsx")).Settings, Loading);

addEventListener("hashchange", () => {
  // Pasted into the open page, a link with another secret loads nothing. The link to skip to the content has none.
  const isInvitation = route.value.view === "invitation" && location.hash !== "#main";
  if (isInvitation || location.hash.startsWith("#setup=")) location.reload();
});

function View({ route }: { readonly route: Route }) {
  switch (route.view) {
    case "websites":
      return <Websites />;
    case "settings":
      return <Settings />;
    case "definitions":
      return <DefinitionsView />;
    case "invitation":
      return <InvitationView />;
    case "website":
      return <WebsiteView key={route.hostname} hostname={route.hostname} />;
    case "live":
      return <LiveView key={route.hostname} hostname={route.hostname} />;
    case "install":
      return <Install key={route.hostname} hostname={route.hostname} />;
    case "shared":
    case "unknown":
      return (
        <Empty>
          <h1>{t("There is no such page.")}</h1>
          <a href={websitesHref}>{t("Go to your websites")}</a>
        </Empty>
      );
  }
}

/** `website`: the one of the route, once it is known. */
function titleOf(
  route: Route,
  website: Pick<ShownWebsite, "hostname" | "display_hostname"> | undefined,
): string {
  if ("hostname" in route) {
    const name = isolated(label(displayOf(website ?? route)));
    const views: Partial<Record<Route["view"], string>> = { install: t("Set up"), live: t("Visitors now") };
    return [views[route.view] ?? [], name].flat().join(" · ");
  }
  const titles = {
    websites: t("Websites"),
    settings: t("Settings"),
    definitions: t("What the figures mean"),
    invitation: t("Invitation"),
    unknown: t("Not found"),
  };
  return titles[route.view];
}

export function App() {
  useEffect(() => {
    document.addEventListener("click", followLinks);
    // The views and dialogs of the second script open at once then. If it does not come, it is asked for again.
    const whenIdle = globalThis.requestIdleCallback ?? setTimeout;
    whenIdle(() => void loadModules().catch(() => undefined));
    return () => document.removeEventListener("click", followLinks);
  }, []);
  const shown = route.value;
  return shown.view === "shared" ? <SharedApp {...shown} /> : <AccountApp />;
}

/** Returns the website of a route if its name may be written another way, which only the server knows. */
function useRenamed(route: Route): ShownWebsite | undefined {
  const hostname = "hostname" in route && route.hostname.includes("xn--") ? route.hostname : undefined;
  const { data } = useAnswer<ShownWebsite>(hostname ? `/websites/${encodeURIComponent(hostname)}` : null);
  return data?.hostname === hostname ? data : undefined;
}

function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Footfall`;
  }, [title]);
}

/** The frame around the view of a link; in a frame of another page it is the view alone. */
function SharedApp({ hostname, link }: Extract<Route, { view: "shared" }>) {
  useTitle(isolated(label(hostname)));
  return (
    <div class="app">
      {self === top && (
        <header class="bar">
          <span class="brand">Footfall</span>
          <nav aria-label={t("Page")}>
            <ThemeButton />
          </nav>
        </header>
      )}
      <main id="main" tabIndex={-1} class="app-main">
        <Unreachable />
        <Shared hostname={hostname} link={link} />
      </main>
      <Announcer />
    </div>
  );
}

function AccountApp() {
  const { view } = route.value;
  const known = loggedIn.value;
  const website = useRenamed(route.value);
  useTitle(known === false ? t("Log in") : titleOf(route.value, website));
  const { path } = address.value;
  const shownPath = useRef(path);
  const isShown = useRef(false);
  useEffect(() => {
    // A new view takes the focus at its start, for people who do not see it, or takes it itself.
    if (shownPath.current !== path && location.hash === "")
      document.getElementById("main")?.focus({ preventScroll: true });
    shownPath.current = path;
  }, [path]);
  // The views ask for data before it is known whether anybody is logged in: that saves one round trip.
  const { data: user, error } = useAnswer<User>("/user");
  if (user !== undefined) follow(user.settings.language);
  if (known === false && !sessionEnded.value)
    return (
      <main class="app-main narrow">
        <Unreachable />
        <Login isInvited={view === "invitation"} />
        <Announcer />
      </main>
    );
  // A failure is said though nobody knows who is logged in, and stays while it is tried again.
  isShown.current ||= known !== undefined || error !== undefined;
  return (
    <div class="app" hidden={!isShown.current}>
      <a class="skip" href="#main">
        {t("Skip to the content")}
      </a>
      <Bar />
      <main
        id="main"
        tabIndex={-1}
        class={view === "website" || view === "live" ? "app-main" : "app-main narrow"}
      >
        <Unreachable />
        <View route={route.value} />
      </main>
      <Announcer />
      {known === false && <LoginAbove isInvited={view === "invitation"} owner={user?.username} />}
    </div>
  );
}

/** Covers the page, also its dialogs, while its session is over: what was typed is there after the login. */
function LoginAbove(props: LoginProps) {
  const element = useRef<HTMLDialogElement>(null);
  const open = () => element.current?.showModal();
  useLayoutEffect(() => {
    const { activeElement } = document;
    open();
    return () => {
      element.current?.close();
      if (activeElement instanceof HTMLElement) activeElement.focus();
    };
  }, []);
  return (
    // Nothing but the login closes it: a browser lets a second Escape close any dialog.
    <dialog
      ref={element}
      class="above"
      aria-label={t("Log in")}
      onCancel={(event) => event.preventDefault()}
      onClose={open}
    >
      <Unreachable />
      <Login {...props} />
    </dialog>
  );
}

const themeLabels = { auto: t("Theme: as the system"), light: t("Theme: light"), dark: t("Theme: dark") };

function ThemeButton() {
  const nextTheme = () => {
    theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? "auto";
    announce(themeLabels[theme.value]);
  };
  const icon = theme.value === "auto" ? "contrast" : theme.value;
  return <Tool icon={icon} label={themeLabels[theme.value]} onClick={nextTheme} />;
}

function Bar() {
  const logOut = async () => {
    try {
      await call("POST", "/auth/logout");
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // Only a session that is over already needs no end.
      if (error.status !== 401) return announce(saidBy(error));
    }
    navigate(websitesHref, "replace");
    loggedIn.value = sessionEnded.value = false;
    forgetAnswers();
  };
  const here = (view: Route["view"]) => (route.value.view === view ? "page" : undefined);
  return (
    <header class="bar">
      <a class="brand" href={websitesHref} aria-current={here("websites")}>
        Footfall
      </a>
      <nav aria-label={t("Account")}>
        <ThemeButton />
        <a
          class="button plain icon-button"
          href={settingsHref}
          aria-label={t("Settings")}
          title={t("Settings")}
          aria-current={here("settings")}
        >
          <Icon name="settings" />
        </a>
        <Tool icon="logout" label={t("Log out")} onClick={() => void logOut()} />
      </nav>
    </header>
  );
}
