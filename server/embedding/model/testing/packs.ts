import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Raster } from "../../raster.ts";
import { type ModelSpace, modelSpace } from "../settings.ts";
import { openModelTokenizer } from "../tokens.ts";
import cases from "./cases.json" with { type: "json" };
import { graphFiles, graphKind } from "./graphs.ts";

export type CaseName = keyof typeof cases.cases;

export const caseNames = Object.keys(cases.cases).filter((name): name is CaseName => name in cases.cases);
export const texts: readonly string[] = cases.texts;
export const pictures: readonly Raster[] = cases.pictures.map(({ width, height }) => drawPicture(width, height));

const here = fileURLToPath(new URL(".", import.meta.url));
const tokenizers = ["words.json", "pieces.json"];

/** The settings of a case as a manifest would give them. */
export function spaceOf(name: CaseName): ModelSpace {
  return modelSpace.parse({ kind: "model", name: "space", ...cases.cases[name].space });
}

/** Makes the files of a case's pack in a folder. */
export async function writePack(folder: string, name: CaseName): Promise<void> {
  const graphs = z.record(z.string(), graphKind).parse(cases.cases[name].graphs);
  for (const tokenizer of tokenizers) await copyFile(join(here, tokenizer), join(folder, tokenizer));
  const [imageId = 0] = (await openModelTokenizer(join(here, "pieces.json"))).idsOf("<image>", false);
  for (const [file, kind] of Object.entries(graphs)) {
    const { graph, external } = graphFiles(kind, { vocabulary: cases.vocabulary, imageId });
    await mkdir(join(folder, dirname(file)), { recursive: true });
    await writeFile(join(folder, file), graph);
    if (kind.external !== undefined && external !== undefined) await writeFile(join(folder, kind.external), external);
  }
}

/** Draws the same bytes as `models/ready/reference.py`, with whole numbers only. */
function drawPicture(width: number, height: number): Raster {
  const data = new Uint8Array(width * height * 3);
  data.forEach((_, index) => {
    const channel = index % 3;
    const x = Math.floor(index / 3) % width;
    const y = Math.floor(index / 3 / width);
    data[index] = (x * x * 3 + y * (7 + 5 * channel) + x * y * (channel + 1) + 40 * channel) % 256;
  });
  return { width, height, channels: 3, data };
}
