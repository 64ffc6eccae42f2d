/**
 * Names stored referrers: by the name of a known site, else by the host. Names are looked up when a question is
 * answered and never stored, so that a better table also names the past. A site's subdomains belong to it unless they
 * have a name of their own. The tables are Maps because a visitor can send any host, such as `constructor`.
 */

/**
 * Host without `www.` -> name. The sites were chosen by what websites commonly see; the hosts are facts about those
 * sites.
 */
const sites: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Google: "com.google.android.googlequicksearchbox google.com.hk",
    Gmail: "mail.google.com com.google.android.gm",
    "Google Docs": "docs.google.com",
    "Google News": "news.google.com",
    "Google Ads": "googleads.g.doubleclick.net googleadservices.com syndicatedsearch.goog",
    "Google Classroom": "classroom.google.com",
    "Google Translate": "translate.google.com",
    Gemini: "gemini.google.com bard.google.com",
    Bing: "bing.com cn.bing.com",
    Copilot: "copilot.microsoft.com",
    MSN: "msn.com",
    DuckDuckGo: "duckduckgo.com duck.com com.duckduckgo.mobile.android",
    Ecosia: "ecosia.org",
    Baidu: "baidu.com",
    "Brave Search": "search.brave.com",
    Startpage: "startpage.com",
    Qwant: "qwant.com",
    Kagi: "kagi.com",
    Naver: "naver.com",
    Daum: "daum.net",
    Seznam: "seznam.cz",
    Sogou: "sogou.com",
    "360 Search": "so.com",
    Petal: "petalsearch.com",
    Mojeek: "mojeek.com",
    Swisscows: "swisscows.com",
    MetaGer: "metager.de metager.org",
    AOL: "aol.com",
    Ask: "ask.com",
    Dogpile: "dogpile.com",
    Rambler: "rambler.ru",
    "Mail.ru": "mail.ru",
    Reddit: "reddit.com redd.it com.reddit.frontpage out.reddit.com",
    "Hacker News": "news.ycombinator.com hn.algolia.com hckrnews.com",
    Lobsters: "lobste.rs",
    "Product Hunt": "producthunt.com",
    Slashdot: "slashdot.org",
    Digg: "digg.com",
    "Indie Hackers": "indiehackers.com",
    GitHub: "github.com github.io gist.github.com",
    GitLab: "gitlab.com",
    Codeberg: "codeberg.org",
    Bitbucket: "bitbucket.org",
    npm: "npmjs.com",
    "Stack Overflow": "stackoverflow.com",
    "Stack Exchange": "stackexchange.com superuser.com serverfault.com askubuntu.com",
    "DEV Community": "dev.to",
    Hashnode: "hashnode.com hashnode.dev",
    Medium: "medium.com",
    Substack: "substack.com",
    Facebook: "facebook.com fb.com fb.me com.facebook.katana m.facebook.com lm.facebook.com",
    Messenger: "messenger.com com.facebook.orca",
    Instagram: "instagram.com com.instagram.android",
    Threads: "threads.net threads.com",
    WhatsApp: "whatsapp.com wa.me com.whatsapp",
    X: "x.com twitter.com t.co com.twitter.android",
    LinkedIn: "linkedin.com lnkd.in com.linkedin.android",
    YouTube: "youtube.com youtu.be com.google.android.youtube",
    Vimeo: "vimeo.com",
    Twitch: "twitch.tv",
    TikTok: "tiktok.com com.zhiliaoapp.musically",
    Pinterest: "pinterest.com pin.it com.pinterest",
    Snapchat: "snapchat.com",
    Tumblr: "tumblr.com",
    Quora: "quora.com",
    Telegram: "telegram.org t.me org.telegram.messenger web.telegram.org",
    Discord: "discord.com discordapp.com com.discord",
    Slack: "slack.com com.slack",
    Teams: "teams.microsoft.com",
    Outlook: "outlook.com outlook.live.com outlook.office.com outlook.office365.com",
    VK: "vk.com vk.ru",
    Odnoklassniki: "ok.ru",
    Weibo: "weibo.com t.cn",
    WeChat: "weixin.qq.com",
    Zhihu: "zhihu.com",
    Line: "line.me",
    Xing: "xing.com",
    Bluesky: "bsky.app go.bsky.app bsky.social",
    Mastodon:
      "mastodon.social mastodon.online mstdn.social mas.to fosstodon.org hachyderm.io infosec.exchange chaos.social " +
      "mastodon.world techhub.social mastodon.cloud joinmastodon.org org.joinmastodon.android",
    Lemmy: "lemmy.world lemmy.ml programming.dev",
    Wikipedia: "wikipedia.org",
    Flipboard: "flipboard.com",
    Feedly: "feedly.com",
    Inoreader: "inoreader.com",
    NewsBlur: "newsblur.com",
    Pocket: "getpocket.com",
    Instapaper: "instapaper.com",
    ChatGPT: "chatgpt.com chat.openai.com",
    Claude: "claude.ai",
    Perplexity: "perplexity.ai",
    Phind: "phind.com",
    "You.com": "you.com",
    Notion: "notion.so notion.site",
    Trello: "trello.com",
    Eventbrite: "eventbrite.com",
    Meetup: "meetup.com",
    Patreon: "patreon.com",
    Steam: "steamcommunity.com steampowered.com",
    Spotify: "spotify.com",
    Amazon: "amazon.com",
    eBay: "ebay.com",
    Etsy: "etsy.com",
    "Internet Archive": "archive.org",
  }).flatMap(([name, hosts]) => hosts.split(" ").map((host) => [host, name] as const)),
);

/**
 * Sites that have a host under every national domain, by the label before a suffix such as `de`, `co.uk` or `com.br`.
 */
const nationalSites: ReadonlyMap<string, string> = new Map([
  ["google", "Google"],
  ["yahoo", "Yahoo"],
  ["yandex", "Yandex"],
  ["bing", "Bing"],
  ["amazon", "Amazon"],
  ["ebay", "eBay"],
  ["pinterest", "Pinterest"],
]);
const nationalHost = /^(?:.+\.)??([a-z]+)\.(?:com|net|ru|[a-z]{2}|(?:com?|org|net)\.[a-z]{2})$/;

/** Returns the group of a stored referrer, which is host and path without scheme and `www.`; "" for direct traffic. */
export function referrerGroup(referrer: string): string {
  const slash = referrer.indexOf("/");
  const host = slash < 0 ? referrer : referrer.slice(0, slash);
  for (let at = 0; at >= 0; at = nextLabel(host, at)) {
    const name = sites.get(host.slice(at));
    if (name !== undefined) return name;
  }
  return nationalSites.get(nationalHost.exec(host)?.[1] ?? "") ?? host;
}

/** Returns the index at which the parent domain begins; -1 at the top. */
function nextLabel(host: string, at: number): number {
  const dot = host.indexOf(".", at);
  return dot < 0 ? -1 : dot + 1;
}
