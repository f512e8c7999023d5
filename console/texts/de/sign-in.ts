import type { Texts } from "../en.ts";

export const signIn: Texts["signIn"] = {
  title: "Seiten statt Dateien",
  about:
    "drs bewahrt große Dokumente auf und findet die Seiten, die eine Frage beantworten: nach ihren Wörtern und nach ihrem Aussehen.",
  credential: "Persönliches Token oder API-Schlüssel",
  hint: "Sie erhalten es von denen, die diesen Dienst betreiben. Auf dessen Rechner meldet drs open Sie an.",
  submit: "Anmelden",
  wrong: "Das ist kein Token oder Schlüssel dieses Dienstes, oder er ist abgelaufen.",
  codeExpired:
    "Der Link zum Anmelden ist abgelaufen oder wurde schon benutzt. Melden Sie sich hier an, oder holen Sie einen neuen.",
};
