import type { Texts } from "../en.ts";

export const common: Texts["common"] = {
  cancel: "Abbrechen",
  close: "Schließen",
  loading: "Wird geladen",
  tryAgain: "Erneut versuchen",
  copy: "Kopieren",
  copyFailed: "Der Browser lässt Seiten nicht kopieren. Es ist markiert: Drücken Sie Strg+C.",
  copied: "Kopiert",
  never: "nie",
};
