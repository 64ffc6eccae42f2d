/** The table of channels: what it says of common links, and that its page says the same. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { adMedium, adNetworks } from "../../src/collect/ad-click.ts";
import { normalizeReferrer } from "../../src/core/addresses/referrer.ts";
import { unknownReferrer, visitValuesOf } from "../../src/core/questions/stored-dimension.ts";
import type { ListQuery } from "../../src/core/questions/query.ts";
import { rowFlag } from "../../src/store/columns/row-flag.ts";
import {
  channelNames,
  channelOf,
  channelRules,
  mediumOf,
  mediums,
  siteOfReferrer,
  siteOfSource,
  sites,
  type Channel,
} from "../../src/query/names/channels.ts";
import { referrerGroups } from "../../src/query/names/referrer-groups.ts";
import { Site } from "../../src/store/state/site.ts";
import { answerList } from "../support/answers.ts";
import { modelChannel } from "../support/model-channels.ts";
import { noonMs, valuesOf } from "../support/records.ts";
import { filter, listOf } from "../support/site.ts";
import { pools } from "../support/traffic.ts";

type Value = string | null;

function channel(
  referrer: Value,
  source: Value = "",
  medium: Value = "",
  campaign: Value = "",
): Channel | null {
  return channelOf({
    referrer: referrer === null ? null : siteOfReferrer(referrer),
    source: source === null ? null : siteOfSource(source),
    medium: medium === null ? null : mediumOf(medium),
    hasCampaign: campaign !== "",
  });
}

describe("the channel of", () => {
  test.each([
    ["", "Direct"],
    ["google.co.uk/search", "Search"],
    ["duckduckgo.com", "Search"],
    ["com.google.android.googlequicksearchbox", "Search"],
    ["l.facebook.com/l.php", "Social"],
    ["news.ycombinator.com/item", "Social"],
    ["t.co/abc", "Social"],
    ["chatgpt.com", "AI"],
    ["perplexity.ai/search", "AI"],
    ["claude.ai", "AI"],
    ["gemini.google.com/app", "AI"],
    ["copilot.microsoft.com", "AI"],
    ["notebooklm.google.com/notebook/a", "AI"],
    ["accounts.google.com/o/oauth2", "Referral"],
    ["pay.google.com", "Referral"],
    ["payments.google.com", "Referral"],
    ["aistudio.google.com", "AI"],
    ["yiyan.baidu.com", "AI"],
    ["chat.z.ai", "AI"],
    ["yuanbao.tencent.com", "AI"],
    ["lumo.proton.me", "AI"],
    ["felo.ai/search", "AI"],
    ["genspark.ai", "AI"],
    ["z.ai", "Referral"],
    ["proton.me", "Referral"],
    ["youtube.com/watch", "Video"],
    ["mail.google.com", "Email"],
    ["outlook.live.com", "Email"],
    ["googleads.g.doubleclick.net", "Display"],
    ["blog.example.org/post", "Referral"],
    ["constructor", "Referral"],
  ])("a link on %s without a tag is %s", (referrer, expected) => {
    expect(channel(referrer)).toBe(expected as Channel);
  });

  // The packages of Android's apps, as android-app:// names them.
  test.each([
    [
      "AI",
      "ai.perplexity.app.android com.anthropic.claude com.deepseek.chat com.microsoft.copilot ai.x.grok",
    ],
    ["AI", "com.poe.android ai.qwenlm.chat.android com.moonshot.kimichat com.larus.nova"],
    ["AI", "com.tencent.hunyuan.app.chat com.google.android.apps.bard com.openai.chatgpt"],
    ["Social", "com.facebook.katana com.facebook.lite com.facebook.orca com.facebook.mlite"],
    ["Social", "com.instagram.android com.instagram.lite com.twitter.android com.twitter.android.lite"],
    [
      "Social",
      "com.zhiliaoapp.musically com.zhiliaoapp.musically.go com.ss.android.ugc.trill com.snapchat.android",
    ],
    ["Social", "com.linkedin.android com.linkedin.android.lite com.pinterest com.pinterest.twa com.tumblr"],
    ["Social", "com.whatsapp com.whatsapp.w4b com.quora.android xyz.blueskyweb.app com.microsoft.teams"],
    ["Social", "org.telegram.messenger org.telegram.messenger.web org.thunderdog.challegram"],
    ["Social", "com.vkontakte.android ru.ok.android com.sina.weibo com.tencent.mm jp.naver.line.android"],
    ["Email", "com.google.android.gm com.google.android.gm.lite com.microsoft.office.outlook"],
    ["Email", "com.microsoft.outlooklite ch.protonmail.android ru.yandex.mail"],
    ["Search", "com.google.android.apps.searchlite com.google.android.apps.magazines com.microsoft.bing"],
    ["Search", "com.ecosia.android com.duckduckgo.mobile.android"],
    ["Video", "com.google.android.youtube com.vimeo.android.videoapp tv.twitch.android.app tv.danmaku.bili"],
  ])("a link in an app is %s: %s", (expected, apps) => {
    for (const app of apps.split(" ")) {
      const referrer = normalizeReferrer(`android-app://${app}/`);
      expect([app, channel(referrer!)]).toEqual([app, expected as Channel]);
    }
  });

  test.each([
    ["newsletter", "", "Email"],
    ["mailchimp", "email", "Email"],
    ["october", "E-Mail", "Email"],
    ["google", "cpc", "Paid search"],
    ["Google", "CPC", "Paid search"],
    ["bing", "paid", "Paid search"],
    ["partner", "ppc", "Paid search"],
    ["facebook", "cpc", "Paid social"],
    ["ig", "paid_social", "Paid social"],
    ["linkedin", "cpm", "Paid social"],
    ["youtube", "cpc", "Display"],
    ["partner", "cpm", "Display"],
    ["partner", "paid-native", "Display"],
    ["partner", "banner", "Display"],
    ["partner", "affiliate", "Affiliate"],
    ["Klaviyo", "sms", "SMS"],
    ["sms", "", "SMS"],
    ["google", "organic", "Search"],
    ["gbp", "", "Search"],
    ["facebook", "organic", "Social"],
    ["mastodon", "", "Social"],
    ["partner", "Social-Media", "Social"],
    ["hacker-news", "", "Social"],
    ["chatgpt.com", "", "AI"],
    ["copilot.com", "", "AI"],
    ["notebooklm", "", "AI"],
    ["www.perplexity.ai", "referral", "AI"],
    ["vimeo", "", "Video"],
    ["partner", "video", "Video"],
    ["partner", "referral", "Referral"],
    ["partner", "", "Referral"],
    ["", "push", "Referral"],
    ["(direct)", "(none)", "Direct"],
    ["__proto__", "constructor", "Referral"],
  ])("utm_source=%s and utm_medium=%s is %s", (source, medium, expected) => {
    expect(channel("", source, medium)).toBe(expected as Channel);
  });

  test("a tag that says nothing is that of the referrer, and never direct", () => {
    expect(channel("google.com", "partner", "", "spring")).toBe("Search");
    expect(channel("google.com", "partner", "cpc")).toBe("Paid search");
    expect(channel("facebook.com", "spring", "cpc")).toBe("Paid social");
    expect(channel("google.com", "newsletter")).toBe("Email");
    expect(channel("", "", "", "spring")).toBe("Referral");
    expect(channel("", "", "", null)).toBe("Referral");
  });

  test("what is not kept apart is unknown where it decides, and only there", () => {
    expect(channel(null)).toBeNull();
    expect(channel("", null)).toBeNull();
    expect(channel("", "google", null)).toBeNull();
    expect(channel(null, "google")).toBe("Search");
    expect(channel(null, null, "email")).toBe("Email");
    expect(channel(null, "partner", "cpc")).toBeNull();
  });
});

test("by visit, a page view has the channel of its visit, and Unknown if that was under way", () => {
  const site = new Site(1);
  const add = (visit: number, referrer: string, medium: string, isUnderWay = false) => {
    const own = valuesOf("/").with(1, referrer).with(3, medium);
    const visitValues = visitValuesOf(own, isUnderWay);
    site.addRow(noonMs + visit, own, rowFlag.unique, { visit, visitValues });
    site.addRow(noonMs + visit, valuesOf("/next"), 0, { visit, visitValues });
  };
  add(1, "", "email");
  add(2, "google.com", "");
  add(3, "", "", true);
  site.addRow(noonMs + 9, valuesOf("/").with(1, "claude.ai"), rowFlag.unique);
  const listed = (by: ListQuery["by"], ...filters: ListQuery["filters"]) =>
    answerList(site, listOf("channels", { filters, by, nowMs: noonMs }))
      .map(({ channel, visitors }) => `${channel} ${visitors}`)
      .sort();
  expect(listed(undefined)).toEqual(["AI 1", "Direct 1", "Email 1", "Search 1"]);
  expect(listed("visit")).toEqual(["Email 1", "Search 1", "Unknown 2"]);
  expect(listed("visit", filter("visit_channel", "neq", "unknown"))).toEqual(["Email 1", "Search 1"]);
  expect(listed("visit", filter("channel", "eq", "direct"))).toEqual(["Email 0", "Search 0", "Unknown 1"]);
});

test("every combination in the model's traffic has the model's channel", () => {
  const found = new Set<Value>();
  for (const referrer of [...pools.referrer, unknownReferrer, null])
    for (const source of [...pools.utm_source, null])
      for (const medium of [...pools.utm_medium, null])
        for (const campaign of ["", "spring", null]) {
          const expected = modelChannel(referrer, source, medium, campaign);
          const values = [referrer, source, medium, campaign] as const;
          expect([...values, channel(...values)]).toEqual([...values, expected] as never);
          found.add(expected);
        }
  // Each occurs.
  expect([...found].sort()).toEqual([...channelNames, null].sort());
});

describe("the table", () => {
  const unique = (all: readonly string[]) => expect([...new Set(all)]).toEqual([...all]);
  const plain = (word: string) => word.toLowerCase().replace(/[\s_-]+/g, "");

  test("names groups of referrers that there are, and each word once", () => {
    const groups = Object.values(sites).flatMap((site): readonly string[] => site.groups);
    expect(groups.filter((group) => !referrerGroups.has(group))).toEqual([]);
    unique(Object.values(sites).flatMap(({ groups, sources }) => [...groups, ...sources].map(plain)));
    unique(Object.values(mediums).flatMap(({ values }) => values.map(plain)));
  });

  const page = readFileSync(join(import.meta.dir, "..", "..", "docs", "channels.md"), "utf8");
  const cells = page
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

  test("knows each network whose clicks are told by an identifier, as the page says", () => {
    const code = (word: string) => `\`${word}\``;
    for (const { source, parameters, begins } of adNetworks) {
      const paid = channel("", source, adMedium);
      expect(paid).toStartWith("Paid ");
      const names = parameters.map(code).join(", ");
      const values = begins === undefined ? "" : ` that begins with ${begins.map(code).join(" or ")}`;
      expect(cells).toContainEqual([names + values, code(source), paid as string]);
    }
  });

  test("keeps the places of channels, by which facts know whether their sums are those of now", () => {
    const before =
      "Search,Social,AI,Video,Email,Paid search,Paid social,Display,Affiliate,Referral,Direct,Unknown";
    expect(channelNames.slice(0, 12).join()).toBe(before);
  });

  test("is the one of docs/channels.md and of the OpenAPI document", () => {
    const rules = channelRules().join("\n");
    for (const [name, { channel, groups, sources }] of Object.entries(sites)) {
      expect(cells).toContainEqual([name, channel, groups.join(", "), sources.join(", ")]);
      for (const word of [...groups, ...sources]) expect(rules).toContain(word);
    }
    for (const medium of Object.values(mediums)) {
      const { values, channel } = medium;
      const named = [...values, ...("starts" in medium ? [`${medium.starts}…`] : [])].join(", ");
      const row = cells.find(([words]) => words === named);
      expect([named, row?.[1]?.startsWith(channel)]).toEqual([named, true]);
      expect(rules).toContain(`${named}: ${channel}`);
    }
  });
});
