import type { Texts } from "../en.ts";

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
