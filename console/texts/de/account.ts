import type { Texts } from "../en.ts";

export const account: Texts["account"] = {
  title: "Konto",
  member: "Mitglied",
  key: "API-Schlüssel",
  role: "Rolle",
  roles: { owner: "Eigentümer", admin: "Verwalter", member: "Mitglied", viewer: "Leser" },
  scopes: "Rechte",
  organisation: "Organisation",
  workspace: "Arbeitsbereich",
  sessions: "Angemeldete Browser",
  sessionsAbout:
    "Beenden Sie, was Sie nicht kennen. Eine Sitzung endet auch, wenn sie eine Woche lang nicht benutzt wurde.",
  browser: "Browser",
  unknownBrowser: "Unbekannter Browser",
  begun: "Seit",
  used: "Zuletzt benutzt",
  actions: "Aktionen",
  end: "Beenden",
  current: "Dieser Browser",
  endTitle: (browser) => `Sitzung in ${browser} beenden?`,
  endAbout:
    "Wer diesen Browser benutzt, ist mit dem nächsten Klick abgemeldet. Was er eingelassen hat, endet auch: Geräte, denen er zugestimmt hat, und Konten beim Anbieter, die er verknüpft hat.",
  ended: "Die Sitzung ist beendet.",
  tokens: "Persönliche Token",
  tokensAbout:
    "Mit ihnen melden sich Terminals und Programme als Sie an. Beenden Sie die von Geräten, die Sie nicht mehr haben; behalten Sie eines zum Anmelden.",
  madeFor: "Gemacht für",
  ofJoining: "Sie, beim Beitreten",
  made: "Gemacht",
  tokenEndTitle: (device) => (device === null ? "Ihr eigenes Token beenden?" : `Token von ${device} beenden?`),
  tokenEndAbout:
    "Programme, die sich damit anmelden, werden von da an abgelehnt; es lässt sich nicht wiederherstellen. Browser bleiben angemeldet: beenden Sie deren Sitzungen oben.",
  tokenEnded: "Das Token wird ab jetzt abgelehnt.",
  provider: "Anmeldung beim Anbieter",
  providerAbout: (provider) =>
    `Verbinden Sie dieses Mitglied mit einem Konto bei ${provider}, und melden Sie sich von da an damit an.`,
  linked: "Verbunden",
  link: (provider) => `Konto bei ${provider} verbinden`,
  unlink: "Trennen",
  unlinkTitle: (provider) => `Von ${provider} trennen?`,
  unlinkAbout:
    "Der Anbieter meldet Sie nicht mehr an, bis Sie wieder ein Konto verbinden. Halten Sie ein persönliches Token zum Anmelden bereit.",
  unlinked: "Der Anbieter meldet Sie nicht mehr an.",
};
