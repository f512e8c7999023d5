import type { Texts } from "../en.ts";

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
