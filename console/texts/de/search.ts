import type { Texts } from "../en.ts";

export const search: Texts["search"] = {
  area: "Suche",
  placeholder: "Fragen, oder eine Seite beschreiben",
  submit: "Suchen",
  begin: "Was suchen Sie?",
  beginNext: "Fragen Sie in eigenen Worten. Die Antwort sind die Seiten selbst, woraus sie auch bestehen.",
  nothing: "Keine Seite passt",
  nothingNext: "Nehmen Sie andere Wörter, oder weniger. Dokumente werden gefunden, sobald sie vektorisiert sind.",
  page: (page, pages) => `Seite ${page} von ${pages}`,
};
