import type { ContentBlock } from "@modelcontextprotocol/server";

/** Of a whole tool result: Claude Desktop takes no more than 1 MB, with all that the protocol adds. */
export const maxResultBytes = 990_000;
/** Of the blocks of pictures or PDFs within it; the rest is for what is said about them. */
export const maxPageBytes = 900_000;
/** Of words of pages: some 20,000 tokens. Clients take 25,000 of a result, and every one is paid for. */
export const maxTextBytes = 80_000;
/** Models scale pictures down, and count each; with more than twenty some of them refuse sides above 2,000 pixels. */
export const maxPagesShown = 20;
/** Of one message of a client: a search for a picture that comes along with it, as over the other protocols. */
export const maxMessageBytes = 32 * 2 ** 20;
/** Of names of documents, which others choose. */
export const maxNameLength = 200;
/** Of a sentence that says what was wrong: it may quote what was asked. */
const maxSentenceLength = 2_000;

/** What content blocks, or other parts of a result, take of it: bytes of their JSON. */
export function bytesOf(part: unknown): number {
  return Buffer.byteLength(JSON.stringify(part));
}

/** What a block with these bytes in base64 takes of a result, with all that is around them. */
export function encodedBytes(size: number): number {
  return Math.ceil(size / 3) * 4 + blockOverheadBytes;
}

/** Type, MIME type and address of a block that holds a page. */
const blockOverheadBytes = 300;

export function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}

/** As JSON that people can read as well. */
export function jsonBlock(value: unknown): ContentBlock {
  return textBlock(JSON.stringify(value, undefined, 1));
}

export function clip(text: string, maxLength = maxSentenceLength): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).toWellFormed()}…`;
}

/** As many of the first entries as fit, by what the result would be; at least one, if there are any. */
export function firstThatFit<Entry>(
  entries: readonly Entry[],
  resultOf: (entries: readonly Entry[]) => unknown,
  maxBytes = maxResultBytes,
): readonly Entry[] {
  let count = entries.length;
  while (count > 1 && bytesOf(resultOf(entries.slice(0, count))) > maxBytes) count = Math.floor(count * 0.8);
  return entries.slice(0, count);
}

/** Characters of a text that are shown where there are many. */
const excerptLengths = [2_000, 1_000, 500, 250, 100, 0];

/** The longest excerpts of texts with which a result fits. */
export function excerptsThatFit<Result>(
  resultOf: (excerpt: (text: string) => string) => Result,
  maxBytes: number,
): Result {
  let result: Result | undefined;
  for (const length of excerptLengths) {
    result = resultOf((text) => (length === 0 ? "" : clip(text, length)));
    if (bytesOf(result) <= maxBytes) break;
  }
  if (result === undefined) throw new Error("there is no length of an excerpt");
  return result;
}
