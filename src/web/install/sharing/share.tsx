/** The links by which a website is shared: making one, copying its address, and revoking it. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Filter } from "../../../core/questions/query.ts";
import { address } from "../../lib/address.ts";
import { askAgain, useAnswer } from "../../lib/answer.ts";
import { call, displayOf, type ShownWebsite } from "../../lib/api.ts";
import { shortDate } from "../../lib/texts/format.ts";
import { questionHref, questionOf } from "../../lib/question/question.ts";
import { filterText } from "../../lib/question/value-text.ts";
import { shareId, sharedHref } from "../../lib/routes.ts";
import { entriesOf } from "../../lib/set-up/rules.ts";
import { Copyable } from "../../parts/copyable.tsx";
import {
  EntryCell,
  EntryTable,
  EntryTool,
  useEntryDeletion,
  type Ask,
} from "../../parts/tables/entry-table.tsx";
import { Checkbox } from "../../parts/forms/checkbox.tsx";
import { Field, Form } from "../../parts/forms/form.tsx";
import { Made, useMade } from "../../parts/made.tsx";
import { Pending } from "../../parts/notice.tsx";
import { Section, showSection } from "../../parts/section.tsx";
import { Access } from "./link-access.tsx";
import { t } from "../../lib/texts/words.ts";

interface Link {
  readonly id: string;
  readonly name: string;
  readonly public: boolean;
  readonly password: boolean;
  readonly filters: readonly Filter[];
  readonly frame_ancestors: readonly string[];
  /** Unix seconds. */
  readonly dateCreated: number;
}

interface MadeLink extends Link {
  /** Shows what its maker sees now. It has the token, which is known only now. */
  readonly href: string;
}

export function Share({ website }: { readonly website: ShownWebsite }) {
  const path = `/website/${encodeURIComponent(website.hostname)}/links`;
  const { data, error } = useAnswer<readonly Link[]>(path);
  const [made, setMade] = useState<MadeLink>();
  const shown = useMade(made, data);
  const { ask, dialog } = useEntryDeletion();
  const first = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    // The whole page takes the focus before.
    if (location.hash === `#${shareId}`) queueMicrotask(() => showSection(first.current));
  }, []);
  return (
    <Section title={t("Share")}>
      <p ref={first}>
        {t(
          "Whoever has a link sees the statistics of this website without an account, and can change nothing.",
        )}
      </p>
      <Pending data={data} error={error} what={t("the links")} />
      {data !== undefined && data.length > 0 && (
        <LinkTable website={website} path={path} links={data} ask={ask} />
      )}
      {dialog}
      {shown !== undefined && <MadeAddress key={shown.href} website={website} link={shown} />}
      {/* A new form for each link. It stays while others come and go. */}
      <NewLink
        key={made?.id}
        website={website}
        path={path}
        number={(data?.length ?? 0) + 1}
        onMade={setMade}
      />
    </Section>
  );
}

/** Shows the address of a link that was just made. */
function MadeAddress({ website, link }: { readonly website: ShownWebsite; readonly link: MadeLink }) {
  const { href } = link;
  const title = t("Statistics of {hostname}", { hostname: displayOf(website) });
  return (
    <Made label={t("The link {name}", { name: link.name })}>
      <p>
        <strong>{t("The link is made.")}</strong>{" "}
        {link.public
          ? t("Its address is open to everybody.")
          : t("Copy its address now: it is not shown again.")}
      </p>
      <Copyable text={href} label={t("Copy link")} />
      {link.frame_ancestors.length > 0 && (
        <>
          <p>{t("This line shows it in your page:")}</p>
          <Copyable
            text={`<iframe src="${href}" title="${title}" width="100%" height="900"></iframe>`}
            label={t("Copy line")}
          />
        </>
      )}
    </Made>
  );
}

interface LinkTableProps {
  readonly website: ShownWebsite;
  readonly path: string;
  readonly links: readonly Link[];
  readonly ask: Ask;
}

function LinkTable({ website, path, links, ask }: LinkTableProps) {
  const revoke = ({ id, name }: Link, button: Element) =>
    ask(button, {
      title: t("Revoke the link {name}?", { name }),
      submit: t("Revoke"),
      done: t("The link {name} opens nothing any more.", { name }),
      path: `${path}/${encodeURIComponent(id)}`,
      children: (
        <p>
          {t(
            "Whoever has its address sees nothing by it any more. A link that is revoked does not come back.",
          )}
        </p>
      ),
    });
  return (
    <EntryTable
      caption={t("Links of this website")}
      columns={[t("Link"), t("Shows")]}
      tool={t("Revoke")}
      stacked
    >
      {links.map((link) => (
        <tr key={link.id}>
          <th scope="row">
            {link.public ? (
              <a href={sharedHref(website.hostname, link.id)} target="_blank">
                {link.name}
              </a>
            ) : (
              link.name
            )}
          </th>
          <EntryCell column={t("Shows")}>{textOf(link, website)}</EntryCell>
          <EntryTool
            label={t("Revoke the link {name}", { name: link.name })}
            text={t("Revoke")}
            onPress={(button) => revoke(link, button)}
          />
        </tr>
      ))}
    </EntryTable>
  );
}

function textOf(link: Link, { visits }: ShownWebsite): string {
  const { public: isPublic, password, filters, frame_ancestors, dateCreated } = link;
  const texts = filters.map((filter) => filterText({ visits }, filter));
  return [
    texts.length === 0 ? t("Everything") : texts.join("; "),
    ...(isPublic ? [t("public")] : []),
    ...(password ? [t("with a password")] : []),
    ...(frame_ancestors.length > 0 ? [t("in pages of {hosts}", { hosts: frame_ancestors.join(", ") })] : []),
    t("since {date}", { date: shortDate(dateCreated) }),
  ].join(" · ");
}

interface NewLinkProps {
  readonly website: ShownWebsite;
  readonly path: string;
  /** The number in the name that is offered. */
  readonly number: number;
  readonly onMade: (link: MadeLink) => void;
}

function NewLink({ website: { hostname, visits }, path, number, onMade }: NewLinkProps) {
  const question = questionOf(hostname, address.value.search, { visits });
  const { filters } = question;
  const [hosts, setHosts] = useState("");
  const make = async (fields: Readonly<Record<string, string>>) => {
    const { name = "", password = "" } = fields;
    const ancestors = entriesOf(hosts);
    const link = await call<Link & { readonly token?: string }>("POST", path, {
      body: {
        name,
        public: "public" in fields,
        ...(password !== "" && { password }),
        ...("filters" in fields && { filters }),
        ...(ancestors.length > 0 && { frame_ancestors: ancestors }),
      },
    });
    const shown = {
      ...question,
      // The server adds the filters of the link to every question.
      filters: [],
      // A link with filters does not say which other pages there are, as it shows no saved funnels.
      steps: link.filters.length > 0 ? [] : question.steps,
      shared: { id: link.id, token: link.token ?? "", filters: [] },
    };
    onMade({ ...link, href: location.origin + questionHref(shown) });
    askAgain();
  };
  return (
    <Form submit={t("Make link")} look="plain" names={{ frame_ancestors: "hosts" }} onSubmit={make}>
      <Field
        label={t("Name")}
        name="name"
        defaultValue={t("Link {number}", { number: String(number) })}
        hint={t("For you, to tell links apart.")}
        autocomplete="off"
        maxLength={100}
        required
      />
      {filters.length > 0 && (
        <fieldset class="features">
          <legend class="visually-hidden">{t("What the link shows")}</legend>
          <Checkbox
            name="filters"
            label={t("Only what these filters select")}
            hint={`${filters.map((filter) => filterText({ visits }, filter)).join("; ")}. ${t("Goals then count only within what they select.")}`}
            defaultChecked
          />
        </fieldset>
      )}
      <Access hosts={hosts} onHosts={setHosts} />
    </Form>
  );
}
