import { readFile } from "node:fs/promises";
import { z } from "zod";
import { PackError } from "../pack-error.ts";

/** Returns the token ids of a text whose words are divided by white space. */
export interface WordTokenizer {
  /** Returns at most `maxTokens` ids without unknown ones. */
  encode(text: string, maxTokens: number): number[];
}

/**
 * A small cache is enough by Zipf's law: the words of a book are mostly the same few thousand, and looking one up is about a
 * hundred times cheaper than searching for its best segmentation.
 */
const rememberedWords = 50_000;
const maxRememberedLength = 32;
/**
 * Scripts without spaces and encoded data make endless words. Cut into pieces of this length, they cost no more than other words.
 */
const maxWordLength = 256;

const tokenizerJson = z.looseObject({ model: z.looseObject({ type: z.string() }) });

/** Opens a `tokenizer.json` (Hugging Face) whose pre-tokenizer splits at spaces and that adds no special tokens. */
export async function openTokenizer(file: string, unknownId: number): Promise<WordTokenizer> {
  const { Tokenizer } = await import("@huggingface/tokenizers");
  let tokenizer: InstanceType<typeof Tokenizer>;
  try {
    tokenizer = new Tokenizer(tokenizerJson.parse(JSON.parse(await readFile(file, "utf8"))), {});
  } catch (cause) {
    throw new PackError(`${file} is not a tokenizer that this version of drs can load`, { cause });
  }
  const remembered = new Map<string, readonly number[]>();

  function segment(word: string): readonly number[] {
    const ids: number[] = tokenizer.encode(word, { add_special_tokens: false }).ids;
    return ids.filter((id) => id !== unknownId);
  }

  function idsOf(word: string): readonly number[] {
    if (word.length > maxRememberedLength) return segment(word);
    const before = remembered.get(word);
    if (before !== undefined) return before;
    const ids = segment(word);
    if (remembered.size >= rememberedWords) remembered.clear();
    remembered.set(word, ids);
    return ids;
  }

  return {
    encode(text, maxTokens) {
      const ids: number[] = [];
      for (const [word] of text.matchAll(/\S+/gu)) {
        for (let from = 0; from < word.length; from += maxWordLength) {
          for (const id of idsOf(word.slice(from, from + maxWordLength))) ids.push(id);
          if (ids.length >= maxTokens) return ids.slice(0, maxTokens);
        }
      }
      return ids;
    },
  };
}

interface PartSize {
  /** Length of a part; neighbours share tokens − step. */
  readonly tokens: number;
  readonly step: number;
  readonly most: number;
}

/**
 * Returns overlapping parts that cover the sequence from start to end, for matches that the vector of a long page would
 * dilute. Empty if the sequence is no longer than one part. More than `most` parts become `most` longer ones, so that a page
 * of any length has few vectors and no blind spot.
 */
export function partsOf<Token>(tokens: readonly Token[], { tokens: size, step, most }: PartSize): (readonly Token[])[] {
  if (tokens.length <= size || most < 2) return [];
  const overlap = size - step;
  const count = Math.min(most, Math.ceil((tokens.length - overlap) / step));
  const stride = Math.max(step, Math.ceil((tokens.length - overlap) / count));
  return Array.from({ length: count }, (_, index) => tokens.slice(index * stride, index * stride + stride + overlap));
}
