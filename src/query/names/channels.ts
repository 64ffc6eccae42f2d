/**
 * Channels: the kinds of ways by which people come to a website. One table of sites and one of mediums say what
 * referrers and utm values are, a third which channel they make together. A channel is looked up when a question is
 * answered and never stored, so that a better table also names the past. docs/channels.md tells it to people.
 */
import { unknownReferrer } from "../../core/questions/stored-dimension.ts";
import { referrerGroup } from "./referrer-groups.ts";

/** A later one stands last: by their places facts know whether their sums are by the channels of now, or are made again. */
export const channelNames = [
  "Search",
  "Social",
  "AI",
  "Video",
  "Email",
  "Paid search",
  "Paid social",
  "Display",
  "Affiliate",
  "Referral",
  "Direct",
  // The source of a visit that was under way when its first hit was seen.
  "Unknown",
  "SMS",
] as const;
export type Channel = (typeof channelNames)[number];

interface Site {
  /** The channel of people who come from such a site, unless the medium says another. */
  readonly channel: Channel;
  /** Names of groups of referrers; `utm_source` may name them too. */
  readonly groups: readonly string[];
  /** Other words for them in `utm_source`. */
  readonly sources: readonly string[];
}

/** The kinds of sites that are known. Exported for tests. */
export const sites = {
  search: {
    channel: "Search",
    groups: words(
      "Google, Google News, Bing, MSN, DuckDuckGo, Ecosia, Baidu, Brave Search, Startpage, Qwant, Kagi, Naver, Daum, " +
        "Seznam, Sogou, 360 Search, Petal, Mojeek, Swisscows, MetaGer, GMX Suche, T-Online Suche, WEB.DE Suche, AOL, Ask, Dogpile, Rambler, Mail.ru, Yahoo, Yandex",
    ),
    sources: words("brave, gbp, gmb, google business profile, google my business, microsoft"),
  },
  social: {
    channel: "Social",
    groups: words(
      "Reddit, Hacker News, Lobsters, Product Hunt, Slashdot, Digg, Indie Hackers, Facebook, Messenger, Instagram, " +
        "Threads, WhatsApp, X, LinkedIn, TikTok, Pinterest, Snapchat, Tumblr, Quora, Telegram, Discord, Slack, Teams, " +
        "VK, Odnoklassniki, Weibo, WeChat, Zhihu, Line, Xing, Bluesky, Mastodon, Lemmy, Meetup",
    ),
    sources: words("fb, ig, meta, twitter, hn, bsky, fediverse, buffer, hootsuite"),
  },
  ai: {
    channel: "AI",
    groups: words(
      "ChatGPT, Claude, Perplexity, Gemini, Copilot, Phind, You.com, DeepSeek, Grok, Meta AI, Le Chat, Poe, Qwen, Kimi, " +
        "Doubao, NotebookLM, Duck.ai, ERNIE Bot, Yuanbao, Z.ai, Lumo, Felo, Genspark",
    ),
    sources: words("openai, anthropic, mistral"),
  },
  video: {
    channel: "Video",
    groups: words("YouTube, Vimeo, Twitch, Dailymotion, Bilibili, Rumble"),
    sources: words("yt"),
  },
  email: {
    channel: "Email",
    groups: words(
      "Gmail, Outlook, Yahoo Mail, Yandex Mail, AOL Mail, Proton Mail, GMX Mail, T-Online Mail, WEB.DE Mail",
    ),
    sources: words(
      "newsletter, email, mail, mailing, mailchimp, mailerlite, mailjet, klaviyo, sendgrid, brevo, sendinblue, " +
        "convertkit, beehiiv, campaign monitor, active campaign, constant contact, hs email",
    ),
  },
  sms: { channel: "SMS", groups: [], sources: words("sms") },
  ads: {
    channel: "Display",
    groups: words("Google Ads"),
    sources: words("adwords, doubleclick, taboola, outbrain, criteo"),
  },
  /** A tag may say that somebody came from nowhere. */
  direct: { channel: "Direct", groups: [], sources: words("direct, (direct)") },
} as const satisfies Readonly<Record<string, Site>>;

/**
 * `other`: a site of no known kind, or a tag that names none; `none`: no referrer and no tag; `unknown`: nobody knows
 * where the visit came from.
 */
export type SiteKind = keyof typeof sites | "unknown" | "other" | "none";

interface Medium {
  /** Values of `utm_medium`. */
  readonly values: readonly string[];
  /** A value that no medium has belongs to this one if it begins so. */
  readonly starts?: string;
  /** The channel; by the kind of the site where some have another. */
  readonly channel: Channel;
  readonly bySite?: Readonly<Partial<Record<SiteKind, Channel>>>;
}

/** The mediums that are known. Of several whose `starts` fit, the first counts. Exported for tests. */
export const mediums = {
  paidSearch: { values: words("sem"), starts: "paidsearch", channel: "Paid search" },
  paidSocial: { values: [], starts: "paidsocial", channel: "Paid social" },
  clicks: {
    values: words("cpc, ppc"),
    channel: "Paid search",
    bySite: { social: "Paid social", video: "Display" },
  },
  paid: {
    values: words(
      "cpm, cpv, cpa, cpe, cpp, ad, ads, retargeting, remarketing, sponsored, programmatic, native",
    ),
    starts: "paid",
    channel: "Display",
    bySite: { search: "Paid search", ai: "Paid search", social: "Paid social" },
  },
  display: { values: words("display, banner, expandable, interstitial"), channel: "Display" },
  affiliate: { values: words("affiliate, affiliates"), channel: "Affiliate" },
  email: { values: words("email, mail, newsletter, mailing"), channel: "Email" },
  // Services of newsletters send these too: their site would say Email.
  sms: { values: words("sms"), channel: "SMS" },
  social: {
    values: words("social, social network, social media, sm, organic social"),
    channel: "Social",
  },
  video: { values: words("video, organic video"), channel: "Video" },
  ai: { values: words("ai, llm, chatbot, ai assistant"), channel: "AI" },
  search: {
    values: words("organic, organic search, search, seo"),
    channel: "Search",
    bySite: { social: "Social", ai: "AI", video: "Video" },
  },
} as const satisfies Readonly<Record<string, Medium>>;

/** `other`: a medium that decides nothing; `none`: no medium. */
export type MediumKind = keyof typeof mediums | "other" | "none";

/** The values of a hit or a visit by their kinds. null: the value is not kept apart, so nobody knows. */
export interface Origin {
  readonly referrer: SiteKind | null;
  readonly source: SiteKind | null;
  readonly medium: MediumKind | null;
  readonly hasCampaign: boolean;
}

const siteOfGroup = new Map<string, SiteKind>();
const siteOfWord = new Map<string, SiteKind>();
for (const [kind, { groups, sources }] of Object.entries(sites)) {
  for (const group of groups) siteOfGroup.set(group, kind as SiteKind);
  for (const word of [...groups, ...sources]) siteOfWord.set(plain(word), kind as SiteKind);
}
const mediumOfWord = new Map<string, MediumKind>();
for (const [kind, { values }] of Object.entries(mediums))
  for (const value of values) mediumOfWord.set(plain(value), kind as MediumKind);

/** Returns the kind of the site of a stored referrer. */
export function siteOfReferrer(referrer: string): SiteKind {
  if (referrer === unknownReferrer) return "unknown";
  return referrer === "" ? "none" : (siteOfGroup.get(referrerGroup(referrer)) ?? "other");
}

/** Returns the kind of the site that a `utm_source` names: by its group, in another word, or by its host. */
export function siteOfSource(source: string): SiteKind {
  if (source === "") return "none";
  const host = source.toLowerCase();
  return siteOfWord.get(plain(source)) ?? siteOfGroup.get(referrerGroup(host)) ?? "other";
}

/** Returns what a `utm_medium` is. */
export function mediumOf(medium: string): MediumKind {
  const word = plain(medium);
  if (word === "" || word === "(none)" || word === "none") return "none";
  const known = mediumOfWord.get(word);
  if (known !== undefined) return known;
  const starting = Object.entries<Medium>(mediums).find(
    ([, { starts }]) => starts !== undefined && word.startsWith(starts),
  );
  return (starting?.[0] as MediumKind | undefined) ?? "other";
}

/** Returns the channel; null if it depends on what is not kept apart. */
export function channelOf(origin: Origin): Channel | null {
  const { medium: kind } = origin;
  if (kind === null) return null;
  const medium: Medium | undefined = kind === "none" || kind === "other" ? undefined : mediums[kind];
  if (medium !== undefined && medium.bySite === undefined) return medium.channel;
  const site = siteOf(origin);
  if (site === null) return null;
  if (medium !== undefined) return medium.bySite?.[site] ?? medium.channel;
  if (site === "none") return "Direct";
  if (site === "unknown") return "Unknown";
  return site === "other" ? "Referral" : sites[site].channel;
}

/** Returns the kind of site that the tag names, or else that the referrer is. */
function siteOf({ referrer, source, medium, hasCampaign }: Origin): SiteKind | null {
  if (source === null || (source !== "none" && source !== "other")) return source;
  if (referrer !== "none") return referrer;
  return source === "other" || medium !== "none" || hasCampaign ? "other" : "none";
}

/** Returns the rules in words, a sentence each. */
export function channelRules(): readonly string[] {
  const places = Object.values<Site>(sites).map(
    ({ channel, groups, sources }) => `${channel}: ${[...groups, ...sources].join(", ")}`,
  );
  return [
    "Case, spaces, hyphens and underscores make no difference. utm_medium decides first.",
    ...Object.values<Medium>(mediums).map(mediumRule),
    "Any other medium, and none, leaves it to the site that utm_source names, or else to the referrer.",
    `The sites: ${places.join("; ")}.`,
    "Any other site or tag: Referral. Neither referrer nor tag: Direct.",
  ];
}

function mediumRule({ values, starts, channel, bySite = {} }: Medium): string {
  const named = starts === undefined ? values : [...values, `${starts}…`];
  const others = Object.entries(bySite).map(([site, other]) => `, ${other} with a site of ${site}`);
  return `${named.join(", ")}: ${channel}${others.join("")}.`;
}

function words(text: string): readonly string[] {
  return text.split(", ");
}

/** Returns a word without case, spaces, hyphens and underscores. */
function plain(word: string): string {
  return word.toLowerCase().replace(/[\s_-]+/g, "");
}
