import type { DrsErrorCode } from "@drs/client";

export const common = {
  cancel: "Cancel",
  close: "Close",
  loading: "Loading",
  tryAgain: "Try again",
  copy: "Copy",
  copyFailed: "The browser does not allow copying. The text is selected: press Ctrl+C.",
  copied: "Copied",
  never: "never",
};

interface ShortcutGroup {
  readonly title: string;
  /** Keys separated by spaces, with their actions. */
  readonly keys: readonly (readonly [keys: string, action: string])[];
}

interface Shortcuts {
  readonly title: string;
  readonly everywhere: ShortcutGroup;
  readonly onPage: ShortcutGroup;
}

const shortcuts: Shortcuts = {
  title: "Keyboard shortcuts",
  everywhere: {
    title: "Everywhere",
    keys: [
      ["/", "Ask"],
      ["?", "Show this list"],
      ["Esc", "Close what is open"],
    ],
  },
  onPage: {
    title: "On a page",
    keys: [
      ["← →", "Previous or next page"],
      ["PgUp PgDn", "The same, also while zoomed in"],
      ["n p", "Next hit, previous hit"],
      ["+ - 0", "Zoom in, zoom out, whole page"],
    ],
  },
};

export const shell = {
  home: "drs, go to search",
  skip: "Skip to the content",
  areas: "Areas",
  search: "Search",
  administration: "Administration",
  menu: "Account and settings",
  account: "Account and sessions",
  design: "Design system",
  reference: "API reference",
  theme: "Appearance",
  themes: { system: "System", light: "Light", dark: "Dark" },
  language: "Language",
  shortcuts,
  signOut: "Sign out",
  signedOut: "You are signed out.",
  notFound: "Page not found",
  notFoundNext: "The address may be wrong, or what it named was deleted.",
  toSearch: "Go to search",
  broken: "This view has failed",
  reload: "Reload the page",
};

export const design = {
  title: "Design system",
  about: "Every part of the console, in the chosen theme.",
  colours: "Colours",
  type: "Type",
  spacing: "Spacing",
  buttons: "Buttons",
  fields: "Fields",
  surfaces: "Surfaces",
  waiting: "Waiting",
  overlays: "Overlays",
  sample: "Large documents in, single pages out",
  openDialog: "Open a dialog",
  showToast: "Show a message",
};

/** The codes of the service, and names for HTTP statuses that share a code. */
export type Refusal = DrsErrorCode | "too_large" | "unsupported" | "unprocessable";

/** Sentences for errors, shown before the service's own sentence. */
export interface ErrorTexts {
  /** Sentences by the reason that the service gives. */
  readonly reasons: Readonly<Record<string, string>>;
  /** Sentences by code or status, for errors whose reason has none. */
  readonly refusals: Readonly<Partial<Record<Refusal, string>>>;
}

/** Empty, because the service's own sentences are English already, and more precise. */
export const errors: ErrorTexts = { reasons: {}, refusals: {} };
