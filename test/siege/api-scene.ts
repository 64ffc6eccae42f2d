/** Makes what the operations of the API need to find so that a right request succeeds: accounts, sessions, websites, hits. */
import { codeAt } from "../../src/accounts/login/totp.ts";
import { plausibleZip } from "../support/plausible-export.ts";
import { account, runToEnd, ServerProcess } from "../support/server.ts";
import { siegeHostname } from "./attack.ts";
import type { Picker } from "./odd-values.ts";
import type { Hints } from "./schema.ts";

export interface Prepared {
  readonly cookie: string;
  readonly hints: Hints;
  /** The link that its requests come with. */
  readonly link?: string;
  /** The API token that its requests come with. */
  readonly bearer?: string;
  /** The body of right requests, where it is no JSON. */
  readonly body?: string;
}

const goal = { name: "Sign-up", event: { prop_name: "signup" } };
const note = { date: "2026-11-03", text: "Newsletter" };
const webhook = { url: "https://hooks.example.com/a" };
const funnel = { name: "Checkout", steps: ["page:/cart", "event:order"] };
const segment = { name: "Germany", filters: "country[eq]=Germany" };

/** That of a second factor. */
const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

/** A line of an access log. */
const logLine =
  '203.0.113.5 - - [02/Nov/2026:10:00:00 +0000] "GET /page-1 HTTP/1.1" 200 100 "-" ' +
  '"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"\n';

/** Deleting an account needs one each time, which takes the start of a program. */
const deletionsMax = 20;
/** And so do sums, which a checkpoint has to write. */
const importsMax = 20;

export class ApiScene {
  private count = 0;
  private deletions = 0;
  private entries = 0;
  private imports = 0;
  private hooks = 0;
  /** The ids of the invitations that may wait still. */
  private readonly invited: string[] = [];
  private roomy: Promise<string> | undefined;
  /** The hostnames of websites, the latest last. */
  private readonly websites: string[] = [];

  constructor(
    private readonly server: ServerProcess,
    private readonly command: readonly string[],
    private readonly folder: string,
    /** The address of a webhook that takes what comes. */
    private readonly hookUrl: string,
  ) {}

  /** Before the operation of this id: the session and values that its requests share. */
  async begin(id: string): Promise<Prepared> {
    this.roomy = undefined;
    // An account sends only so many test messages a minute, whatever they are about.
    const hasOwnAccount = /^patch-user$|^post-user-second-factor|-by-id-test$/.test(id);
    if (!hasOwnAccount) {
      await this.server.logIn();
      const { cookie } = this.server;
      const hints = this.hints(account.username);
      if (id === "post-event-batch")
        return { cookie, hints, bearer: (await this.addToken(cookie, "send")).token };
      if (id === "post-website-by-hostname-import") return { cookie, hints, body: logLine };
      if (id !== "post-website-by-hostname-shared") return { cookie, hints };
      const link = await this.addLink(cookie, { password: account.password });
      return { cookie, hints, link: `${link.id}.${link.token}` };
    }
    // Odd names and passwords may be right ones: they are somebody else's.
    const name = await this.addAccount();
    return { cookie: await this.sessionOf(name), hints: this.hints(name) };
  }

  /** Before each right request of an operation that takes something away, and changes nothing for the others. */
  async prepare(id: string, { cookie, hints, ...rest }: Prepared): Promise<Prepared> {
    const withHint = (name: string, value: string) => ({ cookie, hints: { ...hints, [name]: () => value } });
    switch (id) {
      case "post-auth-logout":
        return { cookie: await this.sessionOf(account.username), hints };
      case "delete-user":
        if (this.deletions++ >= deletionsMax) return { cookie: "_me_sess=over", hints };
        return { cookie: await this.sessionOf(await this.addAccount()), hints };
      case "post-user-second-factor-remove": {
        const code = codeAt(secret, Date.now() - 30_000);
        const body = { current_password: account.password, secret, code };
        await this.server.post("/user/second-factor", body, { cookie });
        return { cookie, hints, ...rest };
      }
      case "delete-website-by-hostname-imported-sums":
        if (this.imports++ < importsMax) await this.importSums(cookie);
        return { cookie, hints, ...rest };
      case "delete-user-sessions-by-id":
        return this.sessionAndAnother(hints);
      case "delete-websites-by-hostname":
      case "patch-websites-by-hostname": {
        const hostname = await this.newWebsite(cookie);
        const isPath = (picker: Picker) => picker.chance(0.5);
        return id === "delete-websites-by-hostname"
          ? withHint("hostname", hostname)
          : {
              cookie,
              hints: {
                ...hints,
                hostname: () => hostname,
                "body.hostname": (picker) => (isPath(picker) ? hostname : `to-${this.count++}.example`),
              },
            };
      }
      case "delete-website-by-hostname-goals-by-id":
        return this.withAdded({ cookie, hints }, "goals", goal);
      case "delete-website-by-hostname-notes-by-id":
      case "patch-website-by-hostname-notes-by-id":
        return this.withAdded({ cookie, hints }, "notes", note);
      case "delete-website-by-hostname-segments-by-id":
        return this.withAdded({ cookie, hints }, "segments", segment);
      case "delete-website-by-hostname-funnels-by-id":
        return this.withAdded({ cookie, hints }, "funnels", funnel);
      case "post-website-by-hostname-links":
      case "post-website-by-hostname-invitations": {
        // A website has only so many.
        const hostname = await this.newWebsite(cookie);
        return withHint("hostname", hostname);
      }
      case "post-website-by-hostname-reports":
      case "post-website-by-hostname-alerts":
        return withHint("hostname", await this.newWebsite(cookie));
      case "delete-website-by-hostname-reports-by-id":
        return this.withAdded({ cookie, hints }, "reports", {
          kind: "weekly",
          webhook: this.hook(webhook.url),
        });
      case "delete-website-by-hostname-alerts-by-id":
        return this.withAdded({ cookie, hints }, "alerts", {
          kind: "silence",
          webhook: this.hook(webhook.url),
        });
      case "post-website-by-hostname-reports-by-id-test":
        return this.withAdded({ cookie, hints }, "reports", {
          kind: "weekly",
          webhook: this.hook(this.hookUrl),
        });
      case "post-website-by-hostname-alerts-by-id-test":
        return this.withAdded({ cookie, hints }, "alerts", {
          kind: "silence",
          webhook: this.hook(this.hookUrl),
        });
      case "delete-user-tokens-by-id":
        return withHint("id", (await this.addToken(cookie, "read")).id);
      case "delete-website-by-hostname-links-by-id":
        return this.withAdded({ cookie, hints }, "links", { name: "Client" });
      case "delete-website-by-hostname-invitations-by-id":
        return this.withAdded({ cookie, hints }, "invitations", { role: "viewer" });
      case "post-invitations-accept":
        return this.guestWith((await this.addInvitation(cookie)).token, hints);
      case "delete-website-by-hostname-members-by-username":
      case "patch-website-by-hostname-members-by-username":
        return withHint("username", await this.memberName(cookie));
      case "post-websites":
        return withHint("body.hostname", await this.newHostname("new", cookie));
      default:
        return { cookie, hints, ...rest };
    }
  }

  private async importSums(cookie: string): Promise<void> {
    await fetch(this.server.url(`/website/${siegeHostname}/import?dry_run=false`), {
      method: "POST",
      headers: { cookie },
      body: plausibleZip(false, siegeHostname),
    });
  }

  private hints(username: string): Hints {
    return {
      hostname: () => siegeHostname,
      "body.username": (picker) => picker.of([username, username.toUpperCase()]),
      "body.password": () => account.password,
      "body.current_password": () => account.password,
      "body.secret": () => secret,
      "body.code": () => codeAt(secret, Date.now()),
      "body.token": () => "no token of this server",
      "body.frame_ancestors": () => ["partner.example"],
      "body.b": () => `api-${this.count++}`,
      "body.u": (picker) => `https://${siegeHostname}/page-${picker.below(50)}`,
      u: (picker) => `https://${siegeHostname}/page-${picker.below(50)}`,
      "body.blocked_networks": () => ["192.0.2.0/24"],
      "body.blocked_countries": (picker) => picker.of([[], ["Tuvalu"], ["TV", "Unknown"]]),
      "body.blocked_paths": () => ["/never/*"],
      "body.hits": (picker) => [
        {
          b: `batch-${this.count++}`,
          u: `https://${siegeHostname}/page-${picker.below(50)}`,
          p: true,
          q: true,
        },
      ],
      "body.email": () => null,
      "body.webhook": () => webhook,
      "body.time_zone": () => "Europe/Berlin",
      until: () => "2026-11-03",
      format: (picker) => picker.of(["jsonl", "csv", "jsonl.gz"]),
      "body.date": () => note.date,
      "body.filters": () => segment.filters,
      "body.steps": () => funnel.steps,
      compare_start: (picker) => new Date(Date.now() - (30 + picker.below(9)) * 86_400_000).toISOString(),
      compare_end: () => new Date(Date.now() - 20 * 86_400_000).toISOString(),
      "body.blocked_referrers": () => ["spam.example"],
      "body.ignored_referrers": () => ["pay.example"],
      timezone: (picker) => picker.of(["UTC", "Europe/Berlin", "Asia/Kathmandu"]),
      interval: (picker) => picker.of(["hour", "day", "week", "month"]),
      start: (picker) => new Date(Date.now() - (1 + picker.below(30)) * 86_400_000).toISOString(),
      end: () => new Date().toISOString(),
      t: () => "Europe/Berlin",
      step: (picker) => ["page[starts_with]:/page-", picker.of(["page:/page-1", "event:signup"])],
      path: (picker) => picker.of(["/page-1", { eq: "/page-1" }]),
    };
  }

  /** A webhook to which nothing is sent yet: the same is told nothing twice. */
  private hook(url: string): { readonly url: string } {
    return { url: `${url}?hook=${++this.hooks}` };
  }

  /** Adds an entry to a list of a website, which has only so many: every forty have a website of their own. */
  private async withAdded({ cookie, hints }: Prepared, list: string, entry: object): Promise<Prepared> {
    if (this.roomy === undefined || this.entries++ % 40 === 0) this.roomy = this.newWebsite(cookie);
    const hostname = await this.roomy;
    const answer = await this.server.post(`/website/${hostname}/${list}`, entry, { cookie });
    if (answer.status !== 201) throw new Error(`${list} answered ${answer.status}: ${await answer.text()}`);
    const id = String(((await answer.json()) as { id: number | string }).id);
    return { cookie, hints: { ...hints, hostname: () => hostname, id: () => id } };
  }

  /** Makes an API token in the place of those that are there, for an account has only so many. */
  private async addToken(cookie: string, scope: string): Promise<{ id: string; token: string }> {
    const tokens = (await (await fetch(this.server.url("/user/tokens"), { headers: { cookie } })).json()) as {
      id: string;
    }[];
    if (tokens.length > 50)
      for (const { id } of tokens)
        await fetch(this.server.url(`/user/tokens/${id}`), { method: "DELETE", headers: { cookie } });
    const answer = await this.server.post("/user/tokens", { name: "Siege", scope }, { cookie });
    if (answer.status !== 201) throw new Error(`a token answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as { id: string; token: string };
  }

  private async newWebsite(cookie: string): Promise<string> {
    const hostname = await this.newHostname("site", cookie);
    const answer = await this.server.post("/websites", { hostname }, { cookie });
    if (answer.status !== 201) throw new Error(`a website answered ${answer.status}: ${await answer.text()}`);
    return hostname;
  }

  /** Returns the hostname of a website that is to be added, and removes earlier ones, for an account adds only so many. */
  private async newHostname(kind: string, cookie: string): Promise<string> {
    const hostname = `${kind}-${this.count++}.example`;
    this.websites.push(hostname);
    const earlier = this.websites.splice(0, this.websites.length < 500 ? 0 : 400);
    const remove = (name: string) =>
      fetch(this.server.url(`/websites/${name}`), { method: "DELETE", headers: { cookie } });
    await Promise.all(earlier.map(remove));
    return hostname;
  }

  private async addLink(cookie: string, more: object = {}): Promise<{ id: string; token: string }> {
    const link = { name: "Client", ...more };
    const answer = await this.server.post(`/website/${siegeHostname}/links`, link, { cookie });
    if (answer.status !== 201) throw new Error(`a link answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as { id: string; token: string };
  }

  private async addInvitation(cookie: string): Promise<{ id: string; token: string }> {
    const path = `/website/${siegeHostname}/invitations`;
    // A website has only so many that nobody has accepted.
    for (const id of this.invited.splice(0, this.invited.length < 20 ? 0 : Infinity))
      await fetch(this.server.url(`${path}/${id}`), { method: "DELETE", headers: { cookie } });
    const answer = await this.server.post(path, { role: "viewer" }, { cookie });
    if (answer.status !== 201) throw new Error(`inviting answered ${answer.status}: ${await answer.text()}`);
    const invitation = (await answer.json()) as { id: string; token: string };
    this.invited.push(invitation.id);
    return invitation;
  }

  /** The one other account that joins websites: making one takes the start of a program. */
  private guest: Promise<{ name: string; cookie: string }> | undefined;

  private theGuest(): Promise<{ name: string; cookie: string }> {
    this.guest ??= this.addAccount().then(async (name) => ({ name, cookie: await this.sessionOf(name) }));
    return this.guest;
  }

  private async guestWith(token: string, hints: Hints): Promise<Prepared> {
    const { name, cookie } = await this.theGuest();
    await fetch(this.server.url(`/website/${siegeHostname}/members/${name}`), {
      method: "DELETE",
      headers: { cookie },
    });
    return { cookie, hints: { ...hints, "body.token": () => token } };
  }

  /** The name of an account that has the website. */
  private async memberName(cookie: string): Promise<string> {
    const { name, cookie: own } = await this.theGuest();
    const { token } = await this.addInvitation(cookie);
    await this.server.post("/invitations/accept", { token }, { cookie: own });
    return name;
  }

  private async addAccount(): Promise<string> {
    const name = `account-${this.count++}`;
    const args = ["user", "add", name, "--data", "snapshots"];
    const { exitCode, errors } = await runToEnd(this.command, this.folder, args, `${account.password}\n`);
    if (exitCode !== 0) throw new Error(`no account was made: ${errors}`);
    return name;
  }

  private async sessionOf(username: string): Promise<string> {
    const { password } = account;
    const answer = await this.server.post("/auth/login", { username, password }, { cookie: "" });
    if (answer.status !== 200) throw new Error(`login answered ${answer.status}: ${await answer.text()}`);
    return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  }

  /** A new session, since an account has only so many, and the id of another. */
  private async sessionAndAnother(hints: Hints): Promise<Prepared> {
    const cookie = await this.sessionOf(account.username);
    const answer = await fetch(this.server.url("/user/sessions"), { headers: { cookie } });
    const sessions = (await answer.json()) as { id: string; current: boolean }[];
    const id = sessions.find(({ current }) => !current)?.id ?? "";
    return { cookie, hints: { ...hints, id: () => id } };
  }
}
