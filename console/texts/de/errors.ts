import type { Refusal } from "../en/errors.ts";

/** What the codes of the service mean; its own sentence stands behind them. */
export const errors: Readonly<Record<Refusal, string>> = {
  canceled: "Die Anfrage wurde abgebrochen.",
  unknown: "Etwas ist schiefgegangen.",
  invalid_argument: "Eine Angabe stimmt nicht.",
  deadline_exceeded: "Es hat zu lange gedauert. Versuchen Sie es wieder.",
  not_found: "Das gibt es hier nicht oder nicht mehr.",
  already_exists: "Das gibt es schon, oder es wird gerade daran gearbeitet.",
  permission_denied: "Das dürfen Sie nicht. Fragen Sie einen Verwalter Ihrer Organisation.",
  resource_exhausted: "Eine Grenze ist erreicht. Versuchen Sie es später wieder.",
  failed_precondition: "Das geht in diesem Zustand nicht.",
  aborted: "Etwas anderes kam dazwischen. Versuchen Sie es wieder.",
  out_of_range: "Eine Angabe liegt außerhalb der Grenzen.",
  unimplemented: "Der Dienst kann das nicht.",
  internal: "Im Dienst ist ein Fehler aufgetreten. Sein Protokoll sagt mehr.",
  unavailable: "Der Dienst ist gerade nicht erreichbar. Versuchen Sie es gleich wieder.",
  data_loss: "Etwas Gespeichertes ist beschädigt. Sagen Sie es denen, die diesen Dienst betreiben.",
  unauthenticated: "Sie sind nicht mehr angemeldet.",
  too_large: "Das ist zu groß, oder der Speicher Ihres Tarifs ist voll.",
  unsupported: "Dieses Format wird hier nicht gelesen.",
  unprocessable: "Aus diesem Dokument lässt sich das nicht machen.",
};
