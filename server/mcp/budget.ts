import type { ContentBlock } from "@modelcontextprotocol/server";

/**
 * Size limit of a whole tool result: Claude Desktop accepts no more than 1 MB, including all that the protocol
 * adds.
 */
export const maxResultBytes = 990_000;
/** Size limit of the blocks of pictures or PDFs in a result; the rest is for the text about them. */
export const maxPageBytes = 900_000;
/**
 * Size limit of page texts: some 20,000 tokens. Clients accept 25,000 tokens per result, and each token is paid for.
 */
export const maxTextBytes = 80_000;
/**
 * Maximum number of pages shown. Models scale pictures down and count each of them; if there are more than twenty,
 * some models refuse sides above 2,000 pixels.
 */
export const maxPagesShown = 20;
/** Size limit of one message of a client: a search with a picture, as over the other protocols. */
export const maxMessageBytes = 32 * 2 ** 20;
/** Length limit of document names, which others choose. */
export const maxNameLength = 200;
/** Length limit of an error sentence, which may quote the request. */
const maxSentenceLength = 2_000;

/** Size of content blocks, or other parts of a result: bytes of their JSON. */
export function bytesOf(part: unknown): number {
  return Buffer.byteLength(JSON.stringify(part));
}

/** Size of a block with these bytes in base64, including all that is around them. */
export function encodedBytes(size: number): number {
  return Math.ceil(size / 3) * 4 + blockOverheadBytes;
}

/** Type, MIME type and URI of a block with a page. */
const blockOverheadBytes = 300;

export function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}

/** Formats a value as JSON that people can read as well. */
export function jsonBlock(value: unknown): ContentBlock {
  return textBlock(JSON.stringify(value, undefined, 1));
}

export function clip(text: string, maxLength = maxSentenceLength): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).toWellFormed()}…`;
}

/** The longest prefix of the entries that fits into the result; at least one entry, if there are any. */
export function firstThatFit<Entry>(
  entries: readonly Entry[],
  resultOf: (entries: readonly Entry[]) => unknown,
  maxBytes = maxResultBytes,
): readonly Entry[] {
  let count = entries.length;
  while (count > 1 && bytesOf(resultOf(entries.slice(0, count))) > maxBytes) count = Math.floor(count * 0.8);
  return entries.slice(0, count);
}

/** Lengths of excerpts, in characters, that are tried. */
const excerptLengths = [2_000, 1_000, 500, 250, 100, 0];

/** Builds the result with the longest excerpts that fit. */
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
