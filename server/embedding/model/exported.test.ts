import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { loadPack } from "../load.ts";

/** A pack made by models/ready/export_text.py, which also wrote torch's vectors of some texts. */
const packDir = process.env["DRS_TEST_MINILM"];
const reason = packDir === undefined ? " (skipped: DRS_TEST_MINILM names no folder of an exported encoder)" : "";

const expectedTexts = z.array(z.object({ text: z.string(), vector: z.array(z.number()) })).min(1);

const cosine = (a: Float32Array, b: readonly number[]): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0) / (Math.hypot(...a) * Math.hypot(...b));

describe("an exported text encoder", () => {
  it.skipIf(packDir === undefined)(
    `gives the vectors that torch gives${reason}`,
    async () => {
      const folder = packDir ?? "";
      const expected = expectedTexts.parse(JSON.parse(await readFile(join(folder, "expected.json"), "utf8")));
      const pack = await loadPack(folder);
      const space = pack.spaces.find(({ kind }) => kind === "dense")?.name;
      const likenesses: number[] = [];
      for (const { text, vector } of expected) {
        const spaces = [
          ...(await pack.embedQuery({ text })),
          ...(await pack.embedPage({ words: text, picture: undefined })),
        ];
        for (const part of spaces) {
          if (part.space !== space || part.kind !== "dense") continue;
          const [first = new Float32Array(0)] = part.vectors;
          likenesses.push(cosine(first, vector));
        }
      }
      await pack.close();
      expect(likenesses).toHaveLength(2 * expected.length);
      expect(Math.min(...likenesses)).toBeGreaterThanOrEqual(0.9999);
    },
    120_000,
  );
});
