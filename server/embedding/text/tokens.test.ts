import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Tokenizer } from "@huggingface/tokenizers";
import { array, assert, constantFrom, oneof, property, string } from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { resolvePackDir } from "../packs.ts";
import { openTokenizer, type WordTokenizer } from "./tokens.ts";
import { weightsOf } from "./encoder.ts";

const file = join(resolvePackDir("builtin"), "tokenizer.json");
let tokenizer: WordTokenizer;
let whole: Tokenizer;

beforeAll(async () => {
  tokenizer = await openTokenizer(file, 0);
  whole = new Tokenizer(JSON.parse(await readFile(file, "utf8")), {});
});

describe("tokens", () => {
  it("are those that the whole text would give, though words are taken one by one", () => {
    const word = oneof(
      constantFrom("The", "equations,", "naïve", "ﬁnd", "ΣΑΣ", "x²", "don't", "ODE45"),
      string({ minLength: 1, maxLength: 8 }),
    );
    assert(
      property(array(word, { maxLength: 12 }), (words) => {
        const text = words
          .join(" ")
          .split(/\s+/u)
          .filter((part) => part !== "")
          .join(" ");
        const ids: number[] = whole.encode(text, { add_special_tokens: false }).ids;
        expect(tokenizer.encode(text, 1000)).toEqual(ids.filter((id) => id !== 0));
      }),
    );
  });

  it("do not depend on how the text is broken into lines", () => {
    expect(tokenizer.encode("two\n\twords\u00a0here", 100)).toEqual(tokenizer.encode("two words here", 100));
  });

  it("are letters where the vocabulary does not know the words of a script", () => {
    expect(tokenizer.encode("微分方程式", 100)).toHaveLength(5);
    expect(tokenizer.encode("微分", 100)).toEqual(tokenizer.encode("微分方程式", 2));
    expect(tokenizer.encode("𒀀𒀁 gold", 100)).toEqual(tokenizer.encode("gold", 100));
  });

  it("end at the limit", () => {
    const ids = tokenizer.encode("one two three four", 100);
    expect(tokenizer.encode("one two three four", 3)).toEqual(ids.slice(0, 3));
  });

  it("come of a megabyte without a space", () => {
    expect(tokenizer.encode("ab9+/".repeat(200_000), 500)).toHaveLength(500);
  });
});

describe("the weight of a token that occurs n times", () => {
  it("is 1 + ln n, in equal shares", () => {
    const shared = (1 + Math.log(3)) / 3;
    expect(weightsOf([7, 3, 7, 7])).toEqual(Float32Array.of(shared, 1, shared, shared));
  });
});
