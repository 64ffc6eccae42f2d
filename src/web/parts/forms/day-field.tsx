/** A field for a day. Browsers write it in their own language: the words below it are in the language of the dashboard. */
import { parseDate } from "../../lib/calendar/zone.ts";
import { dayText } from "../../lib/texts/notes.ts";
import { Field, type FieldProps } from "./form.tsx";

interface DayFieldProps extends Pick<FieldProps, "label" | "name" | "required" | "readOnly"> {
  /** The day, such as 2026-03-14; "" for none. */
  readonly day: string;
  readonly hint?: string;
  readonly onDay: (day: string) => void;
}

export function DayField({ day, hint, onDay, ...field }: DayFieldProps) {
  const words = parseDate(day) !== undefined && <span class="day-words">{dayText(day)}</span>;
  return (
    <Field
      {...field}
      type="date"
      value={day}
      onInput={onDay}
      hint={
        <>
          {words} {hint}
        </>
      }
    />
  );
}
