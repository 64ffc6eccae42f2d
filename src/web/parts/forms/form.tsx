/** Forms: labelled fields, one error in words, no second submission while the first is under way. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { ApiError, loggedIn, saidBy } from "../../lib/api.ts";
import { noun, t } from "../../lib/texts/words.ts";

export interface Submission {
  /** The error of the last attempt, in words. */
  readonly error: string | undefined;
  /** The field of the API that it is about, if it names one. */
  readonly field: string | undefined;
  readonly busy: boolean;
  /** Sends the form; does nothing while an earlier submission is under way. */
  readonly run: (send: () => Promise<void> | void) => Promise<void>;
}

/** Returns the state of a form that changes something on the server; the server's refusal becomes `error`. */
export function useSubmission(): Submission {
  const [thrown, setThrown] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const run = async (send: () => Promise<void> | void) => {
    if (busy) return;
    setBusy(true);
    setThrown(undefined);
    try {
      await send();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setThrown(error);
    } finally {
      setBusy(false);
    }
  };
  // Somebody has logged in again since.
  const isOver = thrown?.status === 401 && loggedIn.value === true;
  return { error: isOver ? undefined : thrown && saidBy(thrown), field: thrown?.field, busy, run };
}

export function FormError({ error }: Pick<Submission, "error">) {
  return (
    <p class="form-error" role="alert">
      {error}
    </p>
  );
}

export interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly type?: "text" | "password" | "date";
  /** The value at every rendering; `defaultValue` is only the initial one. */
  readonly value?: string;
  readonly defaultValue?: string;
  readonly hint?: ComponentChildren;
  readonly autocomplete?: string;
  readonly required?: boolean;
  readonly readOnly?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly autoFocus?: boolean;
  readonly inputMode?: "numeric";
  readonly autocapitalize?: "none";
  readonly spellcheck?: boolean;
  readonly onInput?: (value: string) => void;
  /** A button that is shown in one line with the input. */
  readonly button?: ComponentChildren;
}

export function Field({ label, hint, onInput, button, type = "text", ...input }: FieldProps) {
  const id = useId();
  const element = useRef<HTMLInputElement>(null);
  // Browsers obey autofocus only in dialogs, and elsewhere once in the life of a page.
  useEffect(() => {
    if (input.autoFocus === true) element.current?.focus();
  }, []);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="field-line">
        <input
          {...input}
          ref={element}
          id={id}
          // Preact has a separate type for each kind of input.
          type={type as "text"}
          aria-describedby={hint === undefined ? undefined : `${id}-hint`}
          onInput={(event) => onInput?.(event.currentTarget.value)}
        />
        {button}
      </div>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** A password field with a button that shows what was typed. */
export function PasswordField(props: Omit<FieldProps, "type" | "button" | "spellcheck">) {
  const [shown, setShown] = useState(false);
  const what = noun(props.label);
  const button = (
    <button
      type="button"
      aria-label={shown ? t("Hide {what}", { what }) : t("Show {what}", { what })}
      onClick={() => setShown(!shown)}
    >
      {shown ? t("Hide") : t("Show")}
    </button>
  );
  return <Field {...props} type={shown ? "text" : "password"} spellcheck={false} button={button} />;
}

/** A field for a code of the second factor. */
export function CodeField({ autoFocus = false }: Pick<FieldProps, "autoFocus">) {
  return (
    <Field
      label={t("Code")}
      name="code"
      hint={t("The six digits that your app shows now.")}
      autocomplete="one-time-code"
      inputMode="numeric"
      required
      autoFocus={autoFocus}
    />
  );
}

export interface FormProps {
  /** Receives the fields by name; an error that it throws is shown. */
  readonly onSubmit: (fields: Readonly<Record<string, string>>) => Promise<void> | void;
  readonly submit: string;
  /** The look of the button that submits; `plain` if several forms share a view. */
  readonly look?: "primary" | "plain" | "danger";
  /** The names of fields here whose names in the API are others. */
  readonly names?: Readonly<Record<string, string>>;
  /** Whether the fields may be sent as they are. */
  readonly ready?: boolean;
  /** Buttons beside the one that submits. */
  readonly beside?: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function Form({
  onSubmit,
  submit,
  look = "primary",
  names = {},
  ready = true,
  beside,
  children,
}: FormProps) {
  const { error, field, busy, run } = useSubmission();
  const form = useRef<HTMLFormElement>(null);
  const id = useId();
  // The field that was refused is marked, and has the focus and the error below it.
  useEffect(() => {
    const wrong = field && form.current?.elements.namedItem(names[field] ?? field);
    if (!error || !(wrong instanceof HTMLElement)) return;
    const below = Object.assign(document.createElement("p"), {
      id,
      className: "form-error",
      textContent: error,
    });
    const before = wrong.getAttribute("aria-describedby") ?? "";
    wrong.ariaInvalid = "true";
    wrong.setAttribute("aria-describedby", `${id} ${before}`);
    wrong.closest(".field")?.append(below);
    wrong.closest("details")?.setAttribute("open", "");
    wrong.focus();
    below.scrollIntoView({ block: "nearest" });
    return () => {
      wrong.ariaInvalid = null;
      wrong.setAttribute("aria-describedby", before);
      below.remove();
    };
  }, [error]);
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    if (!ready) return;
    const fields = [...new FormData(event.target as HTMLFormElement)];
    void run(() => onSubmit(Object.fromEntries(fields.map(([name, value]) => [name, String(value)]))));
  };
  return (
    <form class="form" ref={form} onSubmit={send}>
      {children}
      <FormError error={error} />
      <p class="buttons">
        <button class={look === "plain" ? undefined : look} aria-disabled={busy || !ready}>
          {submit}
        </button>
        {beside}
      </p>
    </form>
  );
}
