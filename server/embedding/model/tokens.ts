import { readFile } from "node:fs/promises";
import { Tokenizer } from "@huggingface/tokenizers";
import { z } from "zod";
import { PackError } from "../pack-error.ts";
import { partsOf } from "../text/tokens.ts";
import type { TextInput } from "./inputs.ts";
import type { PartSettings } from "./settings.ts";

/** The origin of a token. */
export type Role = "special" | "prefix" | "text" | "suffix";

export interface Token {
  readonly id: number;
  readonly role: Role;
}

/** A text as a model reads it, from its first token to its last, without padding. */
export type TokenRow = readonly Token[];

/** Tokenizes text by a `tokenizer.json` of Hugging Face. */
export interface ModelTokenizer {
  /** Returns the tokens of a text, truncated at the end if it is too long; empty if it is blank. */
  encode(text: string, settings: TextInput): TokenRow;
  /** Returns overlapping parts of a long text, each with prefix, suffix and special tokens; none for a short text. */
  encodeParts(text: string, settings: TextInput, parts: PartSettings): TokenRow[];
  /** Returns the ids of all tokens of the text as it is. */
  idsOf(text: string, specialTokens: boolean): readonly number[];
}

const tokenizerJson = z.looseObject({
  model: z.looseObject({ type: z.string() }),
  added_tokens: z.array(z.looseObject({ content: z.string().min(1), special: z.boolean() })).default([]),
});

/** Tokens are rarely longer than this, which bounds how much of a text is tokenized when only its beginning counts. */
const charactersPerToken = 32;

/** Opens the tokenizer and ignores its own settings for truncation and padding. Throws `PackError`. */
export async function openModelTokenizer(file: string): Promise<ModelTokenizer> {
  let tokenizer: Tokenizer;
  let specials: RegExp;
  try {
    const json = tokenizerJson.parse(JSON.parse(await readFile(file, "utf8")));
    tokenizer = new Tokenizer(json, {});
    tokenizer.encode("a");
    specials = anyOf(json.added_tokens.flatMap(({ content, special }) => (special ? [content] : [])));
  } catch (cause) {
    throw new PackError(`${file} is not a tokenizer that this version of drs can load`, { cause });
  }
  const idsOf = (text: string, specialTokens: boolean): number[] =>
    tokenizer.encode(text, { add_special_tokens: specialTokens }).ids;
  const around = specialsAround(idsOf("a", false), idsOf("a", true));

  /** The tokens before and after the text itself. */
  function frameOf({ specialTokens, suffix }: TextInput): { head: Token[]; tail: Token[] } {
    const [before, after] = specialTokens ? around : [[], []];
    return {
      head: as("special", before),
      tail: [...as("suffix", suffix === "" ? [] : idsOf(suffix, false)), ...as("special", after)],
    };
  }

  /** Tokenizes prefix and text together, because the first word of a text may get different tokens. */
  function contentOf(text: string, settings: TextInput, maxTokens: number): TokenRow {
    const start = text.slice(0, maxTokens * charactersPerToken);
    const prepared = (part: string): string => (settings.lowercase ? part.toLowerCase() : part);
    // Users' words are text, even if they look like a placeholder for pictures or an end-of-text token.
    const plain = prepared(start).replaceAll(specials, " ");
    if (plain.trim() === "") return [];
    const ids = idsOf(prepared(settings.prefix) + plain, false);
    const prefix = settings.prefix === "" ? [] : idsOf(prepared(settings.prefix), false);
    const begin = ids.findIndex((id, index) => id !== prefix[index]);
    return begin < 0 ? [] : ids.map((id, index) => ({ id, role: index < begin ? "prefix" : "text" }));
  }

  return {
    idsOf,
    encode(text, settings) {
      const { head, tail } = frameOf(settings);
      const room = settings.maxTokens - head.length - tail.length;
      const content = contentOf(text, settings, settings.maxTokens).slice(0, Math.max(0, room));
      return content.length === 0 ? [] : [...head, ...content, ...tail];
    },
    encodeParts(text, settings, parts) {
      const { head, tail } = frameOf(settings);
      // A model reads a limited number of tokens at once, so parts cannot become longer to cover a whole page.
      const maxContent = parts.most * parts.step + parts.tokens - parts.step;
      const content = contentOf(text, settings, maxContent);
      const prefix = content.filter(({ role }) => role === "prefix");
      const room = settings.maxTokens - head.length - prefix.length - tail.length;
      return partsOf(content.slice(prefix.length, prefix.length + maxContent), parts).map((part) => [
        ...head,
        ...prefix,
        ...part.slice(0, Math.max(0, room)),
        ...tail,
      ]);
    },
  };
}

/** A pattern that matches any of the strings; it matches nothing if there are none. */
function anyOf(strings: readonly string[]): RegExp {
  const longestFirst = strings.toSorted((a, b) => b.length - a.length);
  return strings.length === 0 ? /(?!)/gu : new RegExp(longestFirst.map((text) => RegExp.escape(text)).join("|"), "gu");
}

const as = (role: Role, ids: readonly number[]): Token[] => ids.map((id) => ({ id, role }));

/** The tokens that the post-processor puts before and after a text, found by comparing a text with and without them. */
function specialsAround(plain: readonly number[], framed: readonly number[]): readonly [number[], number[]] {
  const start = framed.findIndex((_, at) => plain.every((id, index) => framed[at + index] === id));
  return start < 0 ? [[], []] : [framed.slice(0, start), framed.slice(start + plain.length)];
}
