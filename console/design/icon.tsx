import type { ReactElement } from "react";

/** Outlines on a square of 24 units. */
const paths = {
  search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM20 20l-4.8-4.8",
  document: "M6 3h8l4 4v14H6zM14 3v4h4",
  upload: "M12 16V4m-5 5 5-5 5 5M4 20h16",
  settings: "M4 7h10m4 0h2M4 17h2m4 0h10M16 4.5v5M8 14.5v5",
  account: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4.5 20.5c1-4 4-5.5 7.5-5.5s6.500 1.500 7.500 5.500",
  close: "M6 6l12 12M18 6 6 18",
  left: "M15 5l-7 7 7 7",
  right: "M9 5l7 7-7 7",
  up: "M5 15l7-7 7 7",
  down: "M5 9l7 7 7-7",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  link: "M10 14a4 4 0 0 0 5.700 0l3-3a4 4 0 0 0-5.700-5.700l-1 1M14 10a4 4 0 0 0-5.700 0l-3 3a4 4 0 0 0 5.700 5.700l1-1",
  download: "M12 4v11m-5-5 5 5 5-5M4 20h16",
  picture: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.500 9.500h.01",
  filter: "M4 6h16M7 12h10M10 18h4",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  similar: "M4 4h7v9H4zM13 11h7v9h-7z",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  delete: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  check: "M5 13l4 4L19 7",
} as const;

export type IconName = keyof typeof paths;

/** An icon beside a text, or in a button that has its own label. */
export function Icon({ name }: { readonly name: IconName }): ReactElement {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
