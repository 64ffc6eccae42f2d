/**
 * The dashboard's own icons, in the size and colour of the text around them. They are always beside words or an
 * aria-label.
 */

const paths = {
  add: "M8 3v10M3 8h10",
  back: "M10 3 5 8l5 5",
  calendar: "M2.5 4.5h11v9h-11zM2.5 7h11M5.5 2.5v3M10.5 2.5v3",
  check: "m3 8.5 3.5 3.5L13 4.5",
  close: "m4 4 8 8M12 4l-8 8",
  code: "M5 4.5 1.5 8 5 11.5M11 4.5 14.5 8 11 11.5M9.3 3.5l-2.6 9",
  contrast: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M8 2.5v11M8 5l4 0M8 8h5.5M8 11h4",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  download: "M8 2.5v8M4.5 7.5 8 11l3.5-3.5M3 13.5h10",
  dark: "M13 9.5A5.5 5.5 0 1 1 6.5 3a4.5 4.5 0 0 0 6.5 6.5",
  down: "m4 6 4 4 4-4",
  expand: "M9.5 2.5h4v4M13.5 2.5l-5 5M6.5 13.5h-4v-4M2.5 13.5l5-5",
  farBack: "M8 3 3 8l5 5M13 3 8 8l5 5",
  farForward: "m3 3 5 5-5 5M8 3l5 5-5 5",
  filter: "M2.5 3.5h11L9.5 8.5v5l-3-2v-3z",
  forward: "m6 3 5 5-5 5",
  help: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 7.5v3.5M8 5h.01",
  keyboard: "M1.5 4.5h13v8h-13zM4 7h.01M6.7 7h.01M9.3 7h.01M12 7h.01M5 10h6",
  light:
    "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1",
  logout: "M9.5 2.5h-6v11h6M7 8h7M11.5 5.5 14 8l-2.5 2.5",
  print: "M4.5 6V2.5h7V6M4.5 11.5h-2V6h11v5.5h-2M4.5 9.5h7v4h-7z",
  share: "M8 9.5v-7M5 5l3-2.5L11 5M4.5 7.5h-2v6h11v-6h-2",
  settings: "M2.5 5h6M12 5h1.5M2.5 11H4M7.5 11h6M10.2 3.2v3.6M5.8 9.2v3.6",
  switch: "M5 6l3-3 3 3M5 10l3 3 3-3",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" data-icon={name} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
