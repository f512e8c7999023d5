import type { Texts } from "../en.ts";

export const search: Texts["search"] = {
  area: "Suche",
  placeholder: "Fragen, oder eine Seite beschreiben",
  choosePicture: "Nach einem Bild suchen; es lässt sich auch hier einfügen oder ablegen",
  picture: "Bild",
  likePage: (page) => `Wie Seite ${page}`,
  removePicture: "Ohne das Bild suchen",
  pictureUnreadable: "Das kann dieser Browser nicht als Bild lesen.",
  pictureMissing: "Das Bild ist nicht in diesem Browser",
  pictureMissingNext:
    "Die Adresse nennt ein Bild, mit dem anderswo gesucht wurde. Fügen Sie es noch einmal in das Suchfeld ein.",
  begin: "Was suchen Sie?",
  beginNext:
    "Fragen Sie in eigenen Worten, oder fügen Sie ein Bild ein. Die Antwort sind die Seiten selbst, woraus sie auch bestehen.",
  noDocuments: "Es gibt noch keine Dokumente",
  noDocumentsNext: "Sie werden gefunden, sobald sie hochgeladen und vektorisiert sind:",
  upload: "Dokumente hochladen",
  nothing: "Keine Seite passt",
  nothingNext:
    "Nehmen Sie andere Wörter, oder weniger, oder einen Filter weg. Dokumente werden gefunden, sobald sie vektorisiert sind.",
  results: (question) => `Seiten zu: ${question}`,
  byPicture: "einem Bild",
  found: (pages) => (pages === 1 ? "1 Seite" : `${pages} Seiten`),
  more: "Mehr Seiten zeigen",
  incomplete: (documents) =>
    `Seiten ${documents === 1 ? "eines Dokuments" : `von ${documents} Dokumenten`} können fehlen: Ein Teil des Index entsteht gerade neu.`,
  page: (page, pages) => `Seite ${page} von ${pages}`,
  score: "Wie wahrscheinlich diese Seite eine Antwort ist",
  notDrawn: "Diese Seite lässt sich nicht zeichnen",
  filter: "Filter",
  filterTitle: "Welche Dokumente durchsucht werden",
  condition: "Bedingung an die Metadaten",
  conditionHint: "Zum Beispiel year>=2020, customer=42, tags~draft, team, !team",
  document: "Dokument",
  allDocuments: "Alle Dokumente",
  format: "Format",
  allFormats: "Alle Formate",
  apply: "Anwenden",
  removeFilter: (filter) => `Den Filter ${filter} entfernen`,
};
