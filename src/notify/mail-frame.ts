/**
 * The HTML of mails: tables with styles of their own, because mail programs know little else; no image, no script, nothing
 * that is loaded. Colours have contrast on light and on dark, and programs that turn colours round may do so.
 */
import type { ReportLine, ReportList } from "./report.ts";

const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;";
const weak = "color:#5c5e63;";
/** For texts that have a hostname: a long one would make the mail wider than a phone. */
const breaks = "word-break:break-word;";
const tones = { good: "color:#1a7a43;", bad: "color:#b3261e;", same: weak };
/** Programs that take no notice of this show the light colours. */
const darkStyle =
  "@media (prefers-color-scheme:dark){.page{background:#131417!important}.card{background:#1b1d21!important}" +
  ".text{color:#ececea!important}.weak{color:#a3a6ad!important}.line{border-color:#2e3138!important}" +
  ".good{color:#5fcf8c!important}.bad{color:#ff8a80!important}.link{color:#7ab2ff!important}}";

export interface Frame {
  readonly language: string;
  readonly title: string;
  /** A line below the title. */
  readonly subtitle: string;
  /** HTML. */
  readonly body: string;
  /** HTML. */
  readonly footer: string;
}

export function frameHtml({ language, title, subtitle, body, footer }: Frame): string {
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>${Bun.escapeHTML(title)}</title><style>${darkStyle}</style></head>
<body class="page" style="margin:0;padding:0;background:#f6f6f4;">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f6f6f4;"><tr><td align="center" style="padding:24px 12px;">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:600px;">
<tr><td class="card line" style="background:#ffffff;border:1px solid #e2e2de;border-radius:10px;padding:28px;">
<h1 class="text" style="margin:0;${breaks}${font}font-size:22px;line-height:1.3;color:#1c1d1f;">${Bun.escapeHTML(title)}</h1>
<p class="weak" style="margin:4px 0 0;${font}font-size:14px;line-height:1.5;${weak}">${Bun.escapeHTML(subtitle)}</p>
${body}
</td></tr>
<tr><td class="weak" style="padding:16px 28px;${breaks}${font}font-size:12px;line-height:1.6;${weak}">${footer}</td></tr>
</table></td></tr></table></body></html>
`;
}

export function paragraphHtml(text: string): string {
  return `<p class="text" style="margin:20px 0 0;${breaks}${font}font-size:15px;line-height:1.6;color:#1c1d1f;">${Bun.escapeHTML(text)}</p>`;
}

/** `url` is our own. */
export function buttonHtml(text: string, url: string): string {
  return `<table role="presentation" cellpadding="0" cellspacing="0" style="margin-top:24px;"><tr><td style="background:#0b5fc4;border-radius:6px;"><a href="${Bun.escapeHTML(url)}" style="display:inline-block;padding:11px 18px;${font}font-size:15px;color:#ffffff;text-decoration:none;">${Bun.escapeHTML(text)}</a></td></tr></table>`;
}

export function linkHtml(text: string, url: string): string {
  return `<a class="link" href="${Bun.escapeHTML(url)}" style="color:#0b5fc4;">${Bun.escapeHTML(text)}</a>`;
}

function changeHtml({ change, isGood }: ReportLine): string {
  const tone = isGood === undefined ? "same" : isGood ? "good" : "bad";
  return `<span class="${tone === "same" ? "weak" : tone}" style="${tones[tone]}font-size:13px;white-space:nowrap;">${Bun.escapeHTML(change)}</span>`;
}

/** The totals, two in a row: three large ones are wider than a phone. */
export function totalsHtml(lines: readonly ReportLine[]): string {
  const cell = (line: ReportLine) =>
    `<td width="50%" valign="top" style="padding:18px 8px 0 0;${font}"><div class="weak" style="font-size:13px;${weak}">${Bun.escapeHTML(line.name)}</div>` +
    `<div class="text" style="font-size:20px;line-height:1.4;color:#1c1d1f;">${Bun.escapeHTML(line.value)}</div>${changeHtml(line)}</td>`;
  const rows: string[] = [];
  for (let at = 0; at < lines.length; at += 2)
    rows.push(
      `<tr>${lines
        .slice(at, at + 2)
        .map(cell)
        .join("")}</tr>`,
    );
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0">${rows.join("")}</table>`;
}

export function listHtml({ title, unit, lines }: ReportList): string {
  const edge = "border-top:1px solid #e2e2de;";
  const row = (line: ReportLine) =>
    `<tr><td class="text line" style="${edge}padding:7px 12px 7px 0;${font}font-size:14px;color:#1c1d1f;${breaks}"><bdi>${Bun.escapeHTML(line.name)}</bdi></td>` +
    `<td class="text line" align="right" style="${edge}padding:7px 0;${font}font-size:14px;color:#1c1d1f;white-space:nowrap;">${Bun.escapeHTML(line.value)}</td>` +
    `<td class="line" align="right" width="72" style="${edge}padding:7px 0;${font}">${changeHtml(line)}</td></tr>`;
  const head =
    `<tr><th align="left" class="text" style="padding:30px 12px 8px 0;${font}font-size:15px;color:#1c1d1f;">${Bun.escapeHTML(title)}</th>` +
    `<th align="right" class="weak" style="padding:30px 0 8px;${font}font-size:13px;font-weight:normal;${weak}">${Bun.escapeHTML(unit)}</th><td></td></tr>`;
  return `<table width="100%" cellpadding="0" cellspacing="0">${head}${lines.map(row).join("")}</table>`;
}
