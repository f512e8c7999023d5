import type { Texts } from "../en.ts";

export const jobs: Texts["jobs"] = {
  stages: {
    queue: "Wartet",
    fetch: "Wird geholt",
    convert: "Wird umgewandelt",
    read: "Wird gelesen",
    render: "Wird gezeichnet",
    embed: "Wird verstanden",
    index: "Wird eingeordnet",
    done: "Fertig",
  },
  of: (stage, done, total) => `${stage}: ${done} von ${total}`,
  working: (count) => `${count} in Arbeit`,
  failed: "Fehlgeschlagen",
  cancelled: "Abgebrochen",
  failedPages: (count) => `Fehlgeschlagene Seiten: ${count}`,
  failedPagesAbout: "Alle anderen Seiten sind davon nicht betroffen. Ein neuer Versuch liest nur diese.",
  retry: "Erneut versuchen",
  retried: "Es wird erneut versucht.",
  stop: "Anhalten",
  stopped: "Es wurde angehalten.",
  page: (page) => `Seite ${page}`,
  vectorize: "Durchsuchbar machen",
  extract: "Lesen",
  title: "Arbeit an diesem Dokument",
};
