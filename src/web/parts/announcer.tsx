/** Announces in a few words what a click has done: on the screen for a moment, and to a screen reader. */
import { signal } from "@preact/signals";
import { forgetAnswers } from "../lib/answer.ts";

const message = signal("");
const shownMs = 4_000;
let timer: ReturnType<typeof setTimeout> | undefined;

export function announce(text: string): void {
  clearTimeout(timer);
  message.value = text;
  timer = setTimeout(() => {
    message.value = "";
  }, shownMs);
}

/** Says what was changed. Any answer may be another one now, so all are asked for again. */
export function announceChange(text: string): void {
  forgetAnswers();
  announce(text);
}

export function Announcer() {
  return (
    <p class="announcer" role="status" data-empty={message.value === ""}>
      {message.value}
    </p>
  );
}
