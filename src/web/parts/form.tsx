/** Forms: labelled fields, one error in words, no second submission while the first is on its way. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { ApiError } from "../lib/api.ts";

export interface Submission {
  /** In words, of the last try. */
  readonly error: string | undefined;
  readonly busy: boolean;
  /** Does nothing while the one before is on its way. */
  readonly run: (send: () => Promise<void> | void) => Promise<void>;
}

/** For what changes something on the server: what the server says against it becomes `error`. */
export function useSubmission(): Submission {
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const run = async (send: () => Promise<void> | void) => {
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await send();
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      setError(thrown.message);
    } finally {
      setBusy(false);
    }
  };
  return { error, busy, run };
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
  /** What it is on every rendering; `defaultValue` is only what it starts with. */
  readonly value?: string;
  readonly defaultValue?: string;
  readonly hint?: ComponentChildren;
  readonly autocomplete?: string;
  readonly required?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly autoFocus?: boolean;
  readonly autocapitalize?: "none";
  readonly spellcheck?: boolean;
  readonly onInput?: (value: string) => void;
  /** In one line with the input. */
  readonly button?: ComponentChildren;
}

export function Field({ label, hint, onInput, button, type = "text", ...input }: FieldProps) {
  const id = useId();
  const element = useRef<HTMLInputElement>(null);
  // The browser itself heeds autofocus in dialogs, and elsewhere once in the life of a page.
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
          // Preact types each kind of input apart.
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

/** With a button that shows what was typed. */
export function PasswordField(props: Omit<FieldProps, "type" | "button" | "spellcheck">) {
  const [shown, setShown] = useState(false);
  const does = shown ? "Hide" : "Show";
  const button = (
    <button
      type="button"
      aria-label={`${does} ${props.label.toLowerCase()}`}
      onClick={() => setShown(!shown)}
    >
      {does}
    </button>
  );
  return <Field {...props} type={shown ? "text" : "password"} spellcheck={false} button={button} />;
}

export interface FormProps {
  /** Gets the fields by name; what it throws is shown. */
  readonly onSubmit: (fields: Readonly<Record<string, string>>) => Promise<void> | void;
  readonly submit: string;
  /** Of the button that submits; `plain` where several forms share a view. */
  readonly look?: "primary" | "plain" | "danger";
  /** Whether what was typed may be sent. */
  readonly ready?: boolean;
  /** Buttons beside the one that submits. */
  readonly beside?: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function Form({ onSubmit, submit, look = "primary", ready = true, beside, children }: FormProps) {
  const { error, busy, run } = useSubmission();
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    if (!ready) return;
    const fields = [...new FormData(event.target as HTMLFormElement)];
    void run(() => onSubmit(Object.fromEntries(fields.map(([name, value]) => [name, String(value)]))));
  };
  return (
    <form class="form" onSubmit={send}>
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
