import { expect, test } from "vitest";
import { readManifest } from "../manifest.ts";
import { resolvePackDir } from "../packs.ts";
import { openTextEncoder } from "./encoder.ts";

/** Known words of one token each. */
const wordsOf = (count: number): string => Array.from({ length: count }, () => "harbour").join(" ");
const rssMb = (): number => process.memoryUsage.rss() / 2 ** 20;
/** A text of this many words left 480 MB behind before such texts had a session of their own. */
const longWords = 12_000;

test(
  "a page with very many words leaves no memory behind once ordinary pages follow",
  { timeout: 120_000 },
  async () => {
    const packDir = resolvePackDir("builtin");
    const manifest = await readManifest(packDir);
    const space = manifest.spaces.find((candidate) => candidate.kind === "text");
    if (space === undefined) throw new Error("the built-in pack has no space of texts");
    const encoder = await openTextEncoder(packDir, space);
    const ordinary = async (): Promise<void> => {
      for (let page = 0; page < 40; page += 1) await encoder.document(wordsOf(100 + page * 10));
    };
    await ordinary();
    const before = rssMb();
    for (let page = 0; page < 3; page += 1) {
      await encoder.document(wordsOf(longWords));
      await ordinary();
    }
    expect(rssMb() - before).toBeLessThan(150);
    await encoder.close();
  },
);
