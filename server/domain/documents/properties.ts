/** What a file says of its document beside its pages: the words of its title and its author; null: nothing that tells. */
export interface DocumentProperties {
  readonly title: string | null;
  readonly author: string | null;
}

export const noProperties: DocumentProperties = Object.freeze({ title: null, author: null });

/** Longer than titles of papers with all that stands under them. */
const maxCharacters = 300;

/**
 * Properties out of text as files have it, which anyone may have written: one line of at most 300 characters each. What programs
 * write where nobody has named a document, or signed it, is left out.
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

/** No two letters together; an address; the address in memory of what a program had no text for; a gap that nobody has filled in. */
const saysNothing = (text: string): boolean =>
  !/\p{L}{2}|[\p{Script=Han}\p{Script=Hangul}]/u.test(text) ||
  /:\/\/|^about:|^[a-z]:\\|\b0x[0-9a-f]{4,}\b/i.test(text) ||
  /^[[<{(][^\])}>]*[\])}>]$/.test(text);

/** What office programs, browsers and scanners call a document that has no name, with its number and its ending. */
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

/** Names of accounts and of programs. */
const standInAuthor =
  /^(?:admin(?:istrator)?|user|owner|root|author|autor|unknown|anonymous|none|null|undefined|guest|default|system|microsoft(?: office)?(?: user)?|python-docx|openpyxl|apache poi|windows user|benutzer|utilisateur|usuario)\d*$/i;
