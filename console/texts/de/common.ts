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

export const shell: Texts["shell"] = {
  home: "drs, zur Suche",
  skip: "Zum Inhalt springen",
  areas: "Bereiche",
  search: "Suche",
  administration: "Verwaltung",
  menu: "Konto und Einstellungen",
  account: "Konto und Sitzungen",
  design: "Gestaltung",
  reference: "API-Referenz",
  theme: "Darstellung",
  themes: { system: "Wie das System", light: "Hell", dark: "Dunkel" },
  language: "Sprache",
  shortcuts: {
    title: "Tastenkürzel",
    everywhere: {
      title: "Überall",
      keys: [
        ["/", "Fragen"],
        ["?", "Diese Liste zeigen"],
        ["Esc", "Schließen, was offen ist"],
      ],
    },
    onPage: {
      title: "Auf einer Seite",
      keys: [
        ["← →", "Zur Seite davor oder danach"],
        ["Bild↑ Bild↓", "Dasselbe, auch wenn sie vergrößert ist"],
        ["n p", "Nächster Treffer, Treffer davor"],
        ["+ - 0", "Größer, kleiner, ganze Seite"],
      ],
    },
  },
  signOut: "Abmelden",
  signedOut: "Sie sind abgemeldet.",
  notFound: "Diese Seite gibt es nicht",
  notFoundNext: "Die Adresse stimmt nicht, oder was sie nannte, wurde gelöscht.",
  toSearch: "Zur Suche",
  broken: "Diese Ansicht ist fehlgeschlagen",
  reload: "Seite neu laden",
};

export const design: Texts["design"] = {
  title: "Gestaltung",
  about: "Alle Teile, aus denen die Konsole besteht, in der gewählten Darstellung.",
  colours: "Farben",
  type: "Schrift",
  spacing: "Abstände",
  buttons: "Knöpfe",
  fields: "Felder",
  surfaces: "Flächen",
  waiting: "Warten",
  overlays: "Überlagerungen",
  sample: "Große Dokumente hinein, einzelne Seiten heraus",
  openDialog: "Einen Dialog öffnen",
  showToast: "Eine Meldung zeigen",
};
