import { XmlError } from "../../../formats/xml.ts";
import { ArchiveError } from "../../../formats/zip/directory.ts";
import { DocumentError, sentences } from "../../errors.ts";

/** Returns the error for a damaged document; `what` names the damage as the second half of a sentence. */
export function broken(what: string, options?: ErrorOptions): DocumentError {
  return new DocumentError(
    "damaged",
    `the document is damaged: ${what}; open it in Office, save it again and upload that`,
    options,
  );
}

/** Returns the error for a document that needs more than a converter can handle. */
export function excessive(what: string, options?: ErrorOptions): DocumentError {
  return new DocumentError("too-heavy", `the document cannot be converted: ${what}`, options);
}

export const tooMany = (limit: number, things: string): DocumentError =>
  excessive(`it has more than ${limit.toLocaleString("en")} ${things}; split it and upload the parts`);

/** Rewrites errors from reading containers and XML for the document's owner; returns other errors unchanged. */
export function refusal(cause: unknown, part?: string): unknown {
  if (cause instanceof ArchiveError) {
    if (cause.fault === "encrypted") return sentences.encrypted();
    return cause.fault === "limit" ? excessive(cause.message, { cause }) : broken(cause.message, { cause });
  }
  if (cause instanceof XmlError) {
    const name = part === undefined ? "one of its parts" : `its part ${part}`;
    if (cause.fault === "doctype") {
      return new DocumentError(
        "damaged",
        `${name} declares XML entities, which Office documents never do; save the document again and upload that`,
        { cause },
      );
    }
    return cause.fault === "limit"
      ? excessive(`${name} is built like no Office document: ${cause.message}`, { cause })
      : broken(`${name} is not well-formed XML`, { cause });
  }
  return cause;
}
