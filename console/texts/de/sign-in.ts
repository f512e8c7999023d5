import type { Texts } from "../en.ts";

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
      "Der Anbieter, mit dem Sie sich anmelden, ist nicht erreichbar. Versuchen Sie es in einer Weile wieder.",
    provider_refused:
      "Der Anbieter hat Sie nicht angemeldet. Versuchen Sie es wieder, oder fragen Sie, wer ihn betreibt.",
    provider_answer_invalid:
      "Was der Anbieter geantwortet hat, stimmt nicht. Versuchen Sie es wieder, und sagen Sie es denen, die diesen Dienst betreiben.",
    attempt_expired:
      "Diese Anmeldung hat zu lange gedauert oder begann in einem anderen Fenster. Melden Sie sich noch einmal an.",
    email_unverified:
      "Der Anbieter sagt nicht, dass Ihre E-Mail-Adresse bestätigt ist. Bestätigen Sie sie dort und melden Sie sich noch einmal an.",
    not_invited:
      "Sie sind hier kein Mitglied. Bitten Sie einen Verwalter Ihrer Organisation um eine Einladung an Ihre E-Mail-Adresse.",
    invited:
      "Eine Organisation hat Sie eingeladen. Um ihr beizutreten, öffnen Sie den Link der Einladung; wer ihn geschickt hat, kann einen neuen machen.",
    removed: "Sie wurden aus der Organisation entfernt. Bitten Sie einen ihrer Verwalter um eine neue Einladung.",
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
    "Nur wenn Sie das selbst wollten, wie mit drs open. Sonst sieht, wer Sie hierher geführt hat, was Sie hochladen und suchen.",
  codeReplaces: (name, organisation) =>
    `Sie sind als ${name} von ${organisation} angemeldet. Das endet in diesem Browser.`,
  aKey: "ein API-Schlüssel",
  codeExpired:
    "Der Link zum Anmelden ist abgelaufen oder wurde schon benutzt. Melden Sie sich hier an, oder holen Sie einen neuen.",
};
