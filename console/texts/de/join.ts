import type { Texts } from "../en.ts";

export const join: Texts["join"] = {
  title: "Einladung",
  to: (organisation) => `${organisation} beitreten`,
  as: (role, means) => `Sie sind eingeladen als: ${role} (${means}).`,
  roleMeans: {
    owner: "alles, auch Eigentümer und Protokoll",
    admin: "alles außer Eigentümern und Protokoll",
    member: "liest, sucht und ändert Dokumente",
    viewer: "liest und sucht",
  },
  until: (time) => `Die Einladung gilt einmal, bis ${time}.`,
  replaces:
    "In diesem Browser ist schon jemand angemeldet. Mit dem Beitritt wird stattdessen das neue Mitglied angemeldet.",
  name: "Ihr Name",
  nameHint: "Andere in der Organisation sehen ihn.",
  submit: "Beitreten",
  joined: "Sie sind jetzt Mitglied und in diesem Browser angemeldet.",
  token: "Ihr persönliches Token",
  tokenNext:
    "Bewahren Sie es auf wie ein Passwort: Damit melden Sie sich wieder an, hier und in einem Terminal. Es wird nicht noch einmal gezeigt.",
  goOn: "Konsole öffnen",
  invalid: "Diese Einladung gilt nicht",
  invalidNext:
    "Sie ist falsch, abgelaufen, zurückgenommen oder schon benutzt. Bitten Sie um eine neue. Wenn Sie schon beigetreten sind, melden Sie sich an.",
  missing: "Hier ist keine Einladung",
  missingNext:
    "Öffnen Sie noch einmal den ganzen Link, den Sie erhalten haben: Die Einladung ist sein Teil hinter dem #.",
  toSignIn: "Zur Anmeldung",
};
