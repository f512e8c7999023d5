/** Limits of an Office file for conversion. Sizes are in bytes, lengths of texts in UTF-16 units. */
export interface PrecheckLimits {
  /** Inflated size of all parts together. */
  readonly inflatedBytes: number;
  /** Inflated size of all XML parts together. */
  readonly xmlBytes: number;
  /** Maximum ratio of inflated to compressed size, for one part and for all parts together. */
  readonly ratio: number;
  /** The ratio is checked once this much has been inflated. */
  readonly ratioFromBytes: number;
  /** Maximum bytes of XML without a tag, a comment or the end of a text. */
  readonly runBytes: number;
  readonly elements: number;
  /** Maximum paragraphs of text documents and slides. */
  readonly paragraphs: number;
  /** Maximum cells. Each row counts as a cell, because rows can have a format of their own without having cells. */
  readonly cells: number;
  /** Maximum shapes, pictures, tables and connectors on slides. */
  readonly shapes: number;
  readonly characters: number;
  /** Maximum characters in one cell, as written in XML. */
  readonly cellCharacters: number;
}

export const precheckLimits: PrecheckLimits = {
  // Pictures hardly shrink in a zip, so this is ten times the default limit of an upload.
  inflatedBytes: 2 ** 30,
  // A converter takes 5 to 10 times this in memory; the text of 5,000 pages is some 100 MB of Word's XML.
  xmlBytes: 256 * 2 ** 20,
  // Deflate reaches 1,032:1. Office XML has 5:1 to 30:1, and up to 100:1 in sheets of empty, formatted cells; blank
  // bitmaps have more, but not of this size.
  ratio: 200,
  ratioFromBytes: 50 * 2 ** 20,
  // Word keeps pictures of shapes in base64 inside one attribute (o:gfxdata), some MB at most. The parser buffers such a
  // run in up to 10 times the space.
  runBytes: 8 * 2 ** 20,
  // Ten for each paragraph and cell at their limits.
  elements: 20_000_000,
  // 10,000 pages and more. LibreOffice needs some 1.5 kB for each: 2 million took 2.9 GB and did not finish.
  paragraphs: 500_000,
  // Ten times as many as fit on the 2,000 pages that a spreadsheet may print by default.
  cells: 2_000_000,
  // A chart pasted as shapes has some thousand.
  shapes: 500_000,
  // The text of 20,000 full pages.
  characters: 100_000_000,
  // Excel's limit is 32,767 characters (ECMA-376 sets none), and each may be written as an escape of seven (_x000D_).
  cellCharacters: 2 ** 18,
};
