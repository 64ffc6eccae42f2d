/**
 * Names stored referrers: by the name of a known site, else by the host. Names are looked up when a question is
 * answered and never stored, so that a better table also names the past. A site's subdomains belong to it unless they
 * have a name of their own. The tables are Maps because a visitor can send any host, such as `constructor`.
 */
import { unknownLabel } from "../../core/questions/dimension.ts";
import { unknownReferrer } from "../../core/questions/stored-dimension.ts";

/**
 * Host without `www.` -> name. The sites were chosen by what websites commonly see; the hosts are facts about those
 * sites.
 */
const sites: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Google: "com.google.android.googlequicksearchbox google.com.hk",
    Gmail: "mail.google.com com.google.android.gm",
    "Google Docs": "docs.google.com",
    "Google Drive": "drive.google.com",
    "Google Calendar": "calendar.google.com",
    "Google Chat": "chat.google.com hangouts.google.com",
    "Google Groups": "groups.google.com",
    "Google Maps": "maps.google.com",
    "Google Meet": "meet.google.com",
    "Google News": "news.google.com",
    "Google Photos": "photos.google.com",
    "Google Play": "play.google.com com.android.vending",
    "Google Sites": "sites.google.com",
    "Google Ads": "googleads.g.doubleclick.net googleadservices.com syndicatedsearch.goog",
    "Google Classroom": "classroom.google.com",
    "Google Translate": "translate.google.com",
    Gemini: "gemini.google.com bard.google.com com.google.android.apps.bard",
    Bing: "bing.com cn.bing.com",
    Copilot: "copilot.microsoft.com edgeservices.bing.com",
    MSN: "msn.com",
    DuckDuckGo: "duckduckgo.com duck.com com.duckduckgo.mobile.android",
    Ecosia: "ecosia.org",
    "Yahoo Mail": "mail.yahoo.com com.yahoo.mobile.client.android.mail",
    Yandex: "ya.ru",
    "Yandex Mail": "mail.yandex.com",
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
    Threads: "threads.net threads.com com.instagram.barcelona",
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
    ChatGPT: "chatgpt.com chat.openai.com com.openai.chatgpt",
    Claude: "claude.ai",
    Perplexity: "perplexity.ai",
    Phind: "phind.com",
    "You.com": "you.com",
    DeepSeek: "deepseek.com",
    Grok: "grok.com",
    "Meta AI": "meta.ai",
    "Le Chat": "chat.mistral.ai",
    Poe: "poe.com",
    Qwen: "chat.qwen.ai",
    Kimi: "kimi.com kimi.moonshot.cn",
    Doubao: "doubao.com",
    Dailymotion: "dailymotion.com dai.ly",
    Bilibili: "bilibili.com b23.tv",
    Rumble: "rumble.com",
    "AOL Mail": "mail.aol.com",
    "Proton Mail": "mail.proton.me",
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
  ["duckduckgo", "DuckDuckGo"],
  ["baidu", "Baidu"],
  ["ecosia", "Ecosia"],
  ["amazon", "Amazon"],
  ["ebay", "eBay"],
  ["pinterest", "Pinterest"],
]);
/** Subdomains with their dots, the name of the site, and a suffix. Each label is read once. */
const nationalHost = /^((?:[^.]+\.)*?)([a-z]+)\.(?:(?:com?|org|net)\.[a-z]{2}|com|net|ru|cat|[a-z]{2})$/;

/** The names of all groups. Exported for tests. */
export const referrerGroups: ReadonlySet<string> = new Set([...sites.values(), ...nationalSites.values()]);

/** Returns the group of a stored referrer, which is host and path without scheme and `www.`; "" for direct traffic. */
export function referrerGroup(referrer: string): string {
  if (referrer === unknownReferrer) return unknownLabel;
  const slash = referrer.indexOf("/");
  const host = slash < 0 ? referrer : referrer.slice(0, slash);
  return siteOf(host) ?? nationalSiteOf(host) ?? host;
}

function siteOf(host: string): string | undefined {
  for (let at = 0; at >= 0; at = nextLabel(host, at)) {
    const name = sites.get(host.slice(at));
    if (name !== undefined) return name;
  }
  return undefined;
}

/** A service that has a name of its own under `.com` has it everywhere: `news.google.co.uk` is Google News. */
function nationalSiteOf(host: string): string | undefined {
  const [, subdomains = "", label = ""] = nationalHost.exec(host) ?? [];
  const name = nationalSites.get(label);
  return name && (siteOf(`${subdomains}${label}.com`) ?? name);
}

/** Returns the index at which the parent domain begins; -1 at the top. */
function nextLabel(host: string, at: number): number {
  const dot = host.indexOf(".", at);
  return dot < 0 ? -1 : dot + 1;
}
