import type { Texts } from "../en.ts";

export const account: Texts["account"] = {
  title: "Konto",
  member: "Mitglied",
  key: "API-Schlüssel",
  role: "Rolle",
  roles: { owner: "Eigentümer", admin: "Administrator", member: "Mitglied", viewer: "Betrachter" },
  scopes: "Rechte",
  organisation: "Organisation",
  workspace: "Arbeitsbereich",
  sessions: "Angemeldete Browser",
  sessionsAbout:
    "Beenden Sie Sitzungen, die Sie nicht kennen. Eine Sitzung endet auch, wenn sie eine Woche lang nicht benutzt wurde.",
  browser: "Browser",
  unknownBrowser: "Unbekannter Browser",
  begun: "Seit",
  used: "Zuletzt benutzt",
  actions: "Aktionen",
  end: "Beenden",
  current: "Dieser Browser",
  endTitle: (browser) => `Sitzung in ${browser} beenden?`,
  endAbout:
    "Dieser Browser ist mit der nächsten Anfrage abgemeldet. Geräte, die er zugelassen hat, werden ebenfalls abgemeldet, und Konten beim Anbieter, die er verbunden hat, werden getrennt.",
  ended: "Die Sitzung ist beendet.",
  tokens: "Persönliche Token",
  tokensAbout:
    "Mit ihnen melden sich Terminals und Programme als Sie an. Beenden Sie die Token von Geräten, die Sie nicht mehr haben; behalten Sie eines zum Anmelden.",
  madeFor: "Erstellt für",
  ofJoining: "Sie, beim Beitreten",
  made: "Erstellt",
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

export const signIn: Texts["signIn"] = {
  title: "Seiten statt Dateien",
  about:
    "drs bewahrt große Dokumente auf und findet die Seiten, die eine Frage beantworten: nach ihren Wörtern und nach ihrem Aussehen.",
  credential: "Persönliches Token oder API-Schlüssel",
  hint: "Sie erhalten es von denen, die diesen Dienst betreiben. Auf dessen Rechner meldet drs open Sie an.",
  submit: "Anmelden",
  wrong: "Das ist kein Token oder Schlüssel dieses Dienstes, oder er ist abgelaufen.",
  with: (provider) => `Anmelden mit ${provider}`,
  or: "oder",
  found: "Eine eigene Organisation gründen",
  refusals: {
    provider_unavailable:
      "Der Anbieter, mit dem Sie sich anmelden, ist nicht erreichbar. Versuchen Sie es später noch einmal.",
    provider_refused:
      "Der Anbieter hat Sie nicht angemeldet. Versuchen Sie es wieder, oder fragen Sie, wer ihn betreibt.",
    provider_answer_invalid:
      "Die Antwort des Anbieters ist ungültig. Versuchen Sie es wieder, und sagen Sie es denen, die diesen Dienst betreiben.",
    attempt_expired:
      "Diese Anmeldung hat zu lange gedauert oder begann in einem anderen Fenster. Melden Sie sich noch einmal an.",
    email_unverified:
      "Der Anbieter sagt nicht, dass Ihre E-Mail-Adresse bestätigt ist. Bestätigen Sie sie dort und melden Sie sich noch einmal an.",
    not_invited:
      "Sie sind hier kein Mitglied. Bitten Sie einen Administrator Ihrer Organisation um eine Einladung an Ihre E-Mail-Adresse.",
    invited:
      "Eine Organisation hat Sie eingeladen. Um ihr beizutreten, öffnen Sie den Link der Einladung; wer ihn geschickt hat, kann einen neuen erstellen.",
    removed: "Sie wurden aus der Organisation entfernt. Bitten Sie einen ihrer Administratoren um eine neue Einladung.",
    no_role: "Keine Ihrer Gruppen hat hier eine Rolle. Fragen Sie, wer diesen Dienst betreibt.",
    linked_elsewhere:
      "Dieses Konto beim Anbieter gehört einem anderen Mitglied. Melden Sie sich dort ab und wählen Sie ein anderes.",
    misconfigured: "Dieser Dienst ist nicht dafür eingerichtet, Sie beitreten zu lassen. Fragen Sie, wer ihn betreibt.",
  },
  again: "Noch einmal anmelden",
  againAbout:
    "Ihre Anmeldung ist eine Weile her, und dies gibt dauerhaften Zugang. Melden Sie sich noch einmal an, und wiederholen Sie es dann. Das gilt fünf Minuten lang.",
  againDone: "Sie sind angemeldet. Wiederholen Sie jetzt, was Sie tun wollten.",
  codeAsks: (name, organisation) => `Als ${name} von ${organisation} anmelden?`,
  codeAbout:
    "Fahren Sie nur fort, wenn Sie das selbst wollten, etwa mit drs open. Sonst sieht, wer Sie hierher geführt hat, was Sie hochladen und suchen.",
  codeReplaces: (name, organisation) =>
    `Sie sind als ${name} von ${organisation} angemeldet. Diese Sitzung endet in diesem Browser.`,
  aKey: "ein API-Schlüssel",
  codeExpired:
    "Der Link zum Anmelden ist abgelaufen oder wurde schon benutzt. Melden Sie sich hier an, oder holen Sie einen neuen.",
};

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
  missing: "Keine Einladung gefunden",
  missingNext:
    "Öffnen Sie noch einmal den vollständigen Link, den Sie erhalten haben: Die Einladung ist der Teil hinter dem #.",
  toSignIn: "Zur Anmeldung",
};

export const device: Texts["device"] = {
  title: "Ein Gerät anmelden",
  about:
    "Ein Terminal, das sich anmeldet, zeigt einen Code aus acht Buchstaben. Geben Sie ihn hier ein und vergleichen Sie, bevor Sie es zulassen.",
  code: "Code",
  look: "Gerät suchen",
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
