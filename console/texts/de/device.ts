import type { Texts } from "../en.ts";

export const device: Texts["device"] = {
  title: "Ein Gerät anmelden",
  about:
    "Ein Terminal, das sich anmeldet, zeigt einen Code aus acht Buchstaben. Geben Sie ihn hier ein und vergleichen Sie, bevor Sie es zulassen.",
  code: "Code",
  look: "Nachsehen",
  unknown: "Kein Gerät wartet mit diesem Code. Vielleicht ist er abgelaufen: Beginnen Sie auf dem Gerät von vorn.",
  asks: (name) => `${name} möchte sich als Sie anmelden`,
  compare: "Lassen Sie es nur zu, wenn Sie das selbst begonnen haben und das Gerät genau diesen Code zeigt:",
  approve: "Zulassen",
  deny: "Abweisen",
  approved: "Das Gerät ist angemeldet. Sie können diese Seite schließen.",
  denied: "Das Gerät wurde abgewiesen.",
  needsMember: "Ein API-Schlüssel lässt kein Gerät zu",
  needsMemberNext: "Melden Sie sich ab und mit Ihrem persönlichen Token oder Ihrem Anbieter wieder an.",
};
