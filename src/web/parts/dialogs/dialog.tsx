/** A modal dialog: the browser's own, which keeps the focus inside and gives it back. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Announcer } from "../announcer.tsx";
import { Icon } from "../icon.tsx";
import { t } from "../../lib/texts/words.ts";

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A dialog that is open as long as it is rendered. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  /** Whether the pointer was pressed beside the box: whoever selects text may let go there. */
  const isPressedBeside = useRef(false);
  // The focus is back before effects of other components, which may move it on.
  useLayoutEffect(() => {
    const dialog = element.current;
    const opener = document.activeElement;
    dialog?.showModal();
    const ended = new AbortController();
    // Back closes it, as people expect on a phone. A browser that does not ask leads back at once.
    globalThis.navigation?.addEventListener(
      "navigate",
      (event) => {
        if (event.navigationType !== "traverse" || !event.cancelable) return;
        event.preventDefault();
        dialog?.dispatchEvent(new Event("cancel", { cancelable: true }));
      },
      { signal: ended.signal },
    );
    return () => {
      ended.abort();
      dialog?.close();
      // A dialog gives the focus back by itself only while it is in the page.
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class="dialog"
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={({ target }) => {
        isPressedBeside.current = target === element.current;
      }}
      onClick={({ target }) => {
        if (target === element.current && isPressedBeside.current) onClose();
      }}
    >
      <div class="dialog-box">
        <header>
          <h2>{title}</h2>
          <button type="button" class="plain icon-button" aria-label={t("Close")} onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
      {/* That of the page is beneath the backdrop, and no screen reader hears it. */}
      <Announcer />
    </dialog>
  );
}

/** A button that closes the dialog around it. */
export function Cancel({ onClose }: Pick<DialogProps, "onClose">) {
  return (
    <button type="button" class="plain" onClick={onClose}>
      {t("Cancel")}
    </button>
  );
}
