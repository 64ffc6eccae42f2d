/** Imports a file: first says what would be taken, then takes it. */
import { useId, useState } from "preact/hooks";
import { forgetAnswers } from "../lib/answer.ts";
import { ApiError, type Website } from "../lib/api.ts";
import { percent } from "../lib/texts/format.ts";
import { countedText } from "../lib/set-up/counted.ts";
import {
  hasImported,
  foreignHostsText,
  reportText,
  sendFile,
  trackedText,
  type FileReport,
} from "../lib/set-up/import-file.ts";
import { DayField } from "../parts/forms/day-field.tsx";
import { Form } from "../parts/forms/form.tsx";
import { Section } from "../parts/section.tsx";
import { t } from "../lib/texts/words.ts";
import { Imported } from "./imported-sums.tsx";

export function ImportFile({ website }: { readonly website: Website }) {
  const { hostname, imported_sums: sums } = website;
  const [file, setFile] = useState<File>();
  const [from, setFrom] = useState("");
  const [until, setUntil] = useState("");
  /** Whether what was imported before is taken again. */
  const [isAnew, setAnew] = useState(false);
  const { sent, report, isOther, upload, forget } = useUpload(hostname);
  const choose = (change: () => void) => {
    change();
    forget();
  };
  const chooseFile = (chosen: File | undefined) => {
    setAnew(false);
    choose(() => setFile(chosen));
  };
  // The report is about what was chosen when it was asked for.
  const isSending = sent !== undefined;
  const isRead = report?.dry_run === true && report.pageviews + report.events > 0;
  const send = async () => {
    if (file === undefined) return;
    const days = Object.entries({ from, until }).filter(([, day]) => day !== "");
    const query = new URLSearchParams([["dry_run", `${!isRead}`], ["anew", `${isAnew}`], ...days]).toString();
    try {
      await upload(file, query);
    } finally {
      // It is said of one import: sent again, what was taken of the file until it failed would count twice.
      if (isRead) setAnew(false);
    }
    if (isRead) forgetAnswers();
  };
  return (
    <Section title={t("Import a file")}>
      <Formats />
      <Form
        submit={report !== undefined && isRead ? importLabel(report) : t("Read the file")}
        look={!isRead ? "plain" : isDoubtful(report) ? "danger" : "primary"}
        ready={file !== undefined}
        onSubmit={send}
      >
        <FileField disabled={isSending} onChoose={chooseFile} />
        <DayFields
          days={{ from, until }}
          readOnly={isSending}
          onFrom={(day) => choose(() => setFrom(day))}
          onUntil={(day) => choose(() => setUntil(day))}
        />
        {(isAnew || isOther || (report !== undefined && hasImported(report))) && (
          <AnewField
            disabled={isSending}
            isAnew={isAnew}
            onChange={(checked) => choose(() => setAnew(checked))}
          />
        )}
        <Progress hostname={hostname} sent={sent} report={report} />
      </Form>
      {sums !== undefined && <Imported website={website} sums={sums} />}
    </Section>
  );
}

/** Sends files, and keeps how much of one has gone and what the server said of it. */
function useUpload(hostname: string) {
  /** The part that has gone, from 0 to 1. */
  const [sent, setSent] = useState<number>();
  const [report, setReport] = useState<FileReport>();
  /** Whether the file was refused as another one than was imported before, which it begins as. */
  const [isOther, setOther] = useState(false);
  const upload = async (file: File, query: string) => {
    try {
      setSent(0);
      setReport(await sendFile(`/website/${encodeURIComponent(hostname)}/import?${query}`, file, setSent));
    } catch (error) {
      setOther(error instanceof ApiError && error.message.endsWith("(--anew)"));
      throw error;
    } finally {
      setSent(undefined);
    }
  };
  const forget = () => {
    setReport(undefined);
    setOther(false);
  };
  return { sent, report, isOther, upload, forget };
}

function Formats() {
  return (
    <p>
      {t(
        "Access logs of Apache, nginx and Caddy, the page views of GoatCounter, Umami, Medama, Matomo and Google Analytics (from BigQuery), and Plausible's ZIP; plain, gzip or zstd. The same file again adds nothing.",
      )}
    </p>
  );
}

interface ProgressProps {
  readonly hostname: string;
  readonly sent: number | undefined;
  readonly report: FileReport | undefined;
}

function Progress({ hostname, sent, report }: ProgressProps) {
  return (
    <div role="status">
      {sent !== undefined && <p>{t("Sent: {share}", { share: percent(100 * sent) })}</p>}
      {report !== undefined && <Report hostname={hostname} report={report} />}
    </div>
  );
}

/** Whether a warning stands beside what would be taken. */
function isDoubtful({ tracked_days: days, foreign_hosts: hosts = [] }: FileReport): boolean {
  return days.length + hosts.length > 0;
}

function importLabel(report: FileReport): string {
  return isDoubtful(report) ? t("Import all the same") : t("Import {list}", { list: countedText(report) });
}

interface FileFieldProps {
  readonly disabled: boolean;
  readonly onChoose: (file: File | undefined) => void;
}

function FileField({ disabled, onChoose }: FileFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{t("File")}</label>
      <input
        id={id}
        type="file"
        disabled={disabled}
        onChange={({ currentTarget: { files } }) => onChoose(files?.[0])}
      />
    </div>
  );
}

interface DayFieldsProps {
  /** Dates; "" for none. */
  readonly days: { readonly from: string; readonly until: string };
  readonly readOnly: boolean;
  readonly onFrom: (day: string) => void;
  readonly onUntil: (day: string) => void;
}

function DayFields({ days: { from, until }, readOnly, onFrom, onUntil }: DayFieldsProps) {
  return (
    <>
      <DayField label={t("Begin with this day")} name="from" day={from} readOnly={readOnly} onDay={onFrom} />
      <DayField
        label={t("Stop before this day")}
        name="until"
        day={until}
        readOnly={readOnly}
        hint={t("Days that were tracked here already would count twice.")}
        onDay={onUntil}
      />
    </>
  );
}

interface AnewFieldProps {
  readonly disabled: boolean;
  readonly isAnew: boolean;
  readonly onChange: (isAnew: boolean) => void;
}

function AnewField({ disabled, isAnew, onChange }: AnewFieldProps) {
  return (
    <label class="choice">
      <input
        type="checkbox"
        disabled={disabled}
        checked={isAnew}
        onChange={({ currentTarget: { checked } }) => onChange(checked)}
      />
      {t("Take again what was imported before, and removed since")}
    </label>
  );
}

interface ReportProps {
  readonly hostname: string;
  readonly report: FileReport;
}

function Report({ hostname, report }: ReportProps) {
  const warnings = [foreignHostsText(report, hostname), trackedText(report)].filter((text) => text !== "");
  return (
    <>
      {reportText(report).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {warnings.map((warning) => (
        <p key={warning}>
          <strong>{warning}</strong>
        </p>
      ))}
    </>
  );
}
