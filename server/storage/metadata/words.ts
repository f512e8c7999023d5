import { deflateRawSync, inflateRawSync } from "node:zlib";

/** A page has about two kilobytes of words; level 6 halves them in 0.1 ms, higher ones save next to nothing more. */
const level = 6;

/** Page words as they are stored: UTF-8, raw deflate (RFC 1951). */
export const compressWords = (words: string): Uint8Array => deflateRawSync(words, { level });

export const expandWords = (stored: Uint8Array): string => inflateRawSync(stored).toString("utf8");
