import { readFile } from "node:fs/promises";
import { Tokenizer } from "@huggingface/tokenizers";
import { z } from "zod";
import { PackError } from "../pack-error.ts";
import { partsOf } from "../text/parts.ts";
import type { TextInput } from "./inputs.ts";
import type { PartSettings } from "./settings.ts";

/** What a token is there for. */
export type Role = "special" | "prefix" | "text" | "suffix";

export interface Token {
  readonly id: number;
  readonly role: Role;
}

/** A text as a model reads it, from its first token to its last, no padding. */
export type TokenRow = readonly Token[];

/** Texts to tokens, by a `tokenizer.json` as Hugging Face writes it. */
export interface ModelTokenizer {
  /** Cut off at the end where it is too long; empty if there is nothing to read in it. */
  encode(text: string, settings: TextInput): TokenRow;
  /** Overlapping parts of a long text, each with prefix, suffix and special tokens; none for a short one. */
  encodeParts(text: string, settings: TextInput, parts: PartSettings): TokenRow[];
  /** The text as it is: ids of all its tokens. */
  idsOf(text: string, specialTokens: boolean): readonly number[];
}

const tokenizerJson = z.looseObject({
  model: z.looseObject({ type: z.string() }),
  added_tokens: z.array(z.looseObject({ content: z.string().min(1), special: z.boolean() })).default([]),
});

/** Tokens are hardly longer; bounds what is tokenized of a text of which only the beginning counts. */
const charactersPerToken = 32;

/** Opens the tokenizer; its own settings for truncation and padding do not count. Throws `PackError`. */
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

  /** What stands around the text itself. */
  function frameOf({ specialTokens, suffix }: TextInput): { head: Token[]; tail: Token[] } {
    const [before, after] = specialTokens ? around : [[], []];
    return {
      head: as("special", before),
      tail: [...as("suffix", suffix === "" ? [] : idsOf(suffix, false)), ...as("special", after)],
    };
  }

  /** Prefix and text are tokenized together, because words may begin otherwise where a text begins. */
  function contentOf(text: string, settings: TextInput, maxTokens: number): TokenRow {
    const start = text.slice(0, maxTokens * charactersPerToken);
    const prepared = (part: string): string => (settings.lowercase ? part.toLowerCase() : part);
    // Users' words are text, also where they look like a placeholder for pictures or like an end-of-text token.
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
      // A model reads no more than so many tokens at once, so parts cannot become longer to cover all of a page.
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

/** Matches nothing where there is nothing to match. */
function anyOf(strings: readonly string[]): RegExp {
  const longestFirst = strings.toSorted((a, b) => b.length - a.length);
  return strings.length === 0 ? /(?!)/gu : new RegExp(longestFirst.map((text) => RegExp.escape(text)).join("|"), "gu");
}

const as = (role: Role, ids: readonly number[]): Token[] => ids.map((id) => ({ id, role }));

/** What the post-processor puts before and after a text, seen by what it does to one. */
function specialsAround(plain: readonly number[], framed: readonly number[]): readonly [number[], number[]] {
  const start = framed.findIndex((_, at) => plain.every((id, index) => framed[at + index] === id));
  return start < 0 ? [[], []] : [framed.slice(0, start), framed.slice(start + plain.length)];
}
