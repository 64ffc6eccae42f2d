/** Presses and releases a key in a browser. */

/** The codes of keys that are no letter. */
const keyCodes: Readonly<Record<string, number>> = {
  Backspace: 8,
  Tab: 9,
  Enter: 13,
  Escape: 27,
  End: 35,
  Home: 36,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
  "?": 191,
  "/": 191,
  "[": 219,
  "]": 221,
};

/** For `Input.dispatchKeyEvent`, of a key by its name, as "Enter", "ArrowDown", or a letter. */
export function eventsOf(key: string): readonly Readonly<Record<string, unknown>>[] {
  const text = key.length === 1 ? key : key === "Enter" ? "\r" : undefined;
  const code = keyCodes[key] ?? key.toUpperCase().charCodeAt(0);
  const press = { key, code: key, windowsVirtualKeyCode: code, ...(text !== undefined && { text }) };
  return [
    { type: text === undefined ? "rawKeyDown" : "keyDown", ...press },
    { type: "keyUp", ...press },
  ];
}
