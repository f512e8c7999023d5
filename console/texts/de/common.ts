import type { Texts } from "../en.ts";

export const common: Texts["common"] = {
  cancel: "Abbrechen",
  close: "Schließen",
  loading: "Wird geladen",
  tryAgain: "Erneut versuchen",
  copied: "Kopiert",
  never: "nie",
};
