/** Title and author from the properties of a file; null if they say nothing useful. */
export interface DocumentProperties {
  readonly title: string | null;
  readonly author: string | null;
}

export const noProperties: DocumentProperties = Object.freeze({ title: null, author: null });

/** Longer than the titles of papers with all their subtitles. */
const maxCharacters = 300;

/**
 * Reads properties from untrusted text of a file: one line of at most 300 characters each. Placeholders that
 * programs write where nobody has named or signed a document are left out.
 */
export function readProperties({
  title,
  author,
}: {
  readonly title: string;
  readonly author: string;
}): DocumentProperties {
  const named = plainLine(title).replace(/^(?:microsoft )?(?:word|excel|powerpoint|publisher|visio) ?- ?/i, "");
  const signed = plainLine(author);
  return {
    title: saysNothing(named) || standInTitle.test(named) ? null : named,
    author: saysNothing(signed) || standInAuthor.test(signed) ? null : signed,
  };
}

const plainLine = (text: string): string =>
  Array.from(
    text
      .slice(0, 4 * maxCharacters)
      .toWellFormed()
      .normalize("NFKC")
      .replace(/[\p{Cc}\p{Cf}\p{Co}\s\ufffd]+/gu, " ")
      .trim(),
  )
    .slice(0, maxCharacters)
    .join("")
    .trim();

/**
 * Whether a text is useless: it has no word, contains an address or a memory address that a program printed for lack
 * of a text, or is a placeholder that nobody has filled in.
 */
const saysNothing = (text: string): boolean =>
  !/\p{L}{2}|[\p{Script=Han}\p{Script=Hangul}]/u.test(text) ||
  /:\/\/|^about:|^[a-z]:\\|\b0x[0-9a-f]{4,}\b/i.test(text) ||
  /^[[<{(][^\])}>]*[\])}>]$/.test(text);

/** Names that office programs, browsers and scanners give to an unnamed document, with number and extension. */
const standInTitle = new RegExp(
  `^(?:${[
    "untitled|no title|title|unknown|none|null|undefined|temp|tmp|test",
    "(?:unbenannt|ohne titel|sans titre|sin título|senza titolo|sem título)",
    "(?:new )?(?:document|dokument|documento|doc|book|workbook|sheet|presentation|drawing|publication|layout|slide|page|print|scan|image|fax)",
    "mappe|tabelle|classeur|feuil|libro|hoja|cartel|présentation|präsentation|presentación|presentazione|folie",
    "powerpoint[ -](?:presentation|präsentation)|présentation powerpoint|presentación de powerpoint",
    "無題|無標題|无标题|제목 없음",
  ].join("|")})(?:[ _#-]*\\(?\\d*\\)?)*(?:\\.[a-z]{2,5})?$`,
  "iu",
);

/** Names of accounts and programs. */
const standInAuthor =
  /^(?:admin(?:istrator)?|user|owner|root|author|autor|unknown|anonymous|none|null|undefined|guest|default|system|microsoft(?: office)?(?: user)?|python-docx|openpyxl|apache poi|windows user|benutzer|utilisateur|usuario)\d*$/i;

/** Kinds of loss in a conversion. The codes are stored, so none is ever renamed. */
export const warningCodes = ["alt_chunk", "formula", "chart", "font", "locale", "missing_words"] as const;
export type WarningCode = (typeof warningCodes)[number];

/** Content of a document that its pages do not show as it is. */
export interface DocumentWarning {
  readonly code: WarningCode;
  /** Tells the document's owner what is lost, where, and what to do. */
  readonly message: string;
  /** Counts from 1; undefined if not known. */
  readonly page?: number | undefined;
}

/** Maximum number of warnings of a document: more would not help its owner. */
export const maxWarnings = 50;
