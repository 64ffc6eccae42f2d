/**
 * Names stored referrers: by the name of a known site, else by the host. Names are looked up when a question is
 * answered and never stored, so that a better table also names the past. A site's subdomains belong to it unless they
 * have a name of their own. The tables are Maps because a visitor can send any host, such as `constructor`.
 */
import { hostOf } from "../../core/addresses/referrer.ts";
import { unknownLabel } from "../../core/questions/dimension.ts";
import { unknownReferrer } from "../../core/questions/stored-dimension.ts";

/**
 * Host without `www.` -> name. The sites were chosen by what websites commonly see; the hosts are facts about those
 * sites.
 */
const sites: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Google: "com.google.android.googlequicksearchbox google.com.hk com.google.android.apps.searchlite",
    // People come back from these, and have searched for nothing.
    "Google Accounts": "accounts.google.com",
    "Google Pay": "pay.google.com payments.google.com",
    Gmail: "mail.google.com com.google.android.gm com.google.android.gm.lite",
    "Google Docs": "docs.google.com",
    "Google Drive": "drive.google.com",
    "Google Calendar": "calendar.google.com",
    "Google Chat": "chat.google.com hangouts.google.com",
    "Google Groups": "groups.google.com",
    "Google Maps": "maps.google.com",
    "Google Meet": "meet.google.com",
    "Google News": "news.google.com com.google.android.apps.magazines",
    "Google Photos": "photos.google.com",
    "Google Play": "play.google.com com.android.vending",
    "Google Sites": "sites.google.com",
    "Google Ads":
      "googleads.g.doubleclick.net googleadservices.com googlesyndication.com syndicatedsearch.goog",
    "Google Classroom": "classroom.google.com",
    "Google Translate": "translate.google.com",
    Gemini: "gemini.google.com bard.google.com com.google.android.apps.bard aistudio.google.com",
    NotebookLM: "notebooklm.google.com",
    Bing: "bing.com cn.bing.com com.microsoft.bing",
    Copilot:
      "copilot.microsoft.com edgeservices.bing.com copilot.com copilot.cloud.microsoft m365.cloud.microsoft com.microsoft.copilot",
    MSN: "msn.com",
    DuckDuckGo: "duckduckgo.com duck.com com.duckduckgo.mobile.android",
    "Duck.ai": "duck.ai",
    Ecosia: "ecosia.org com.ecosia.android",
    "Yahoo Mail": "mail.yahoo.com com.yahoo.mobile.client.android.mail",
    Yandex: "ya.ru",
    "Yandex Mail": "mail.yandex.com ru.yandex.mail",
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
    "GMX Suche": "suche.gmx.net",
    "T-Online Suche": "suche.t-online.de",
    "WEB.DE Suche": "suche.web.de",
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
    Facebook:
      "facebook.com fb.com fb.me com.facebook.katana m.facebook.com lm.facebook.com com.facebook.lite",
    Messenger: "messenger.com com.facebook.orca com.facebook.mlite",
    Instagram: "instagram.com com.instagram.android com.instagram.lite",
    Threads: "threads.net threads.com com.instagram.barcelona",
    WhatsApp: "whatsapp.com wa.me com.whatsapp com.whatsapp.w4b",
    X: "x.com twitter.com t.co com.twitter.android com.twitter.android.lite",
    LinkedIn: "linkedin.com lnkd.in com.linkedin.android com.linkedin.android.lite",
    YouTube: "youtube.com youtu.be com.google.android.youtube",
    Vimeo: "vimeo.com com.vimeo.android.videoapp",
    Twitch: "twitch.tv tv.twitch.android.app",
    TikTok: "tiktok.com com.zhiliaoapp.musically com.zhiliaoapp.musically.go com.ss.android.ugc.trill",
    Pinterest: "pinterest.com pin.it com.pinterest com.pinterest.twa",
    Snapchat: "snapchat.com com.snapchat.android",
    Tumblr: "tumblr.com com.tumblr",
    Quora: "quora.com com.quora.android",
    Telegram:
      "telegram.org t.me org.telegram.messenger web.telegram.org org.telegram.messenger.web org.thunderdog.challegram",
    Discord: "discord.com discordapp.com com.discord",
    Slack: "slack.com com.slack",
    Teams: "teams.microsoft.com statics.teams.cdn.office.net com.microsoft.teams",
    Outlook:
      "outlook.com outlook.live.com outlook.office.com outlook.office365.com com.microsoft.office.outlook com.microsoft.outlooklite",
    VK: "vk.com vk.ru com.vkontakte.android",
    Odnoklassniki: "ok.ru ru.ok.android",
    Weibo: "weibo.com t.cn com.sina.weibo",
    WeChat: "weixin.qq.com com.tencent.mm",
    Zhihu: "zhihu.com",
    Line: "line.me jp.naver.line.android",
    Xing: "xing.com",
    Bluesky: "bsky.app go.bsky.app bsky.social xyz.blueskyweb.app",
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
    Claude: "claude.ai com.anthropic.claude",
    Perplexity: "perplexity.ai ai.perplexity.app.android",
    Phind: "phind.com",
    "You.com": "you.com",
    DeepSeek: "deepseek.com com.deepseek.chat",
    Grok: "grok.com ai.x.grok",
    "Meta AI": "meta.ai",
    "Le Chat": "chat.mistral.ai",
    Poe: "poe.com com.poe.android",
    Qwen: "chat.qwen.ai ai.qwenlm.chat.android",
    Kimi: "kimi.com kimi.moonshot.cn com.moonshot.kimichat",
    Doubao: "doubao.com com.larus.nova",
    "ERNIE Bot": "yiyan.baidu.com",
    Yuanbao: "yuanbao.tencent.com com.tencent.hunyuan.app.chat",
    "Z.ai": "chat.z.ai",
    Lumo: "lumo.proton.me",
    Felo: "felo.ai",
    Genspark: "genspark.ai",
    Dailymotion: "dailymotion.com dai.ly",
    Bilibili: "bilibili.com b23.tv tv.danmaku.bili",
    Rumble: "rumble.com",
    "AOL Mail": "mail.aol.com",
    "Proton Mail": "mail.proton.me ch.protonmail.android",
    // Their mails lead to other websites by a host of their own.
    "GMX Mail": "deref-gmx.net deref-gmx.com navigator.gmx.net de.gmx.mobile.android.mail",
    "T-Online Mail": "email.t-online.de",
    "WEB.DE Mail": "deref-web.de navigator.web.de de.web.mobile.android.mail",
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
  const host = hostOf(referrer);
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
