import type { GreyRaster, PictureRequest, Raster } from "../raster.ts";
import { type LineRecogniser, openLineRecogniser, type ReadWord } from "./line-recogniser.ts";
import { findLines } from "./find-lines.ts";
import type { Line } from "./lines.ts";
import type { OcrSettings } from "./settings.ts";
import { type Strip, stripOf } from "./strip.ts";

/** Reads the words in a page's picture, for the index alone. It belongs to one thread. */
export interface PageOcr {
  /** The picture of a page that OCR needs. */
  readonly picture: PictureRequest & { readonly channels: 1 };
  /** Returns the lines in reading order; empty if nothing is legible. */
  read(page: Raster): Promise<string>;
  close(): Promise<void>;
}

/** Maximum columns of all lines, which take about a second; a dense page of small print has half as many. */
const maxColumns = 120_000;
/** A page that OCR reads with less confidence than this may be rotated by 90 or 180 degrees. */
const doubtful = 0.8;
/** The page counts as rotated if turning it raises the confidence by this much. */
const clearly = 0.1;
/** Minimum letters from which the rotation of a page can be determined. */
const fewLetters = 40;
/** Number of lines that are read to determine the rotation. */
const tellingLines = 12;

interface Reading {
  readonly text: string;
  /** The mean over its lines, weighted by their letters. */
  readonly confidence: number;
  readonly letters: number;
}

/** Creates the OCR of a pack. It loads the graph with the first scan, because most documents have no scans. */
export function createPageOcr(packDir: string, settings: OcrSettings): PageOcr {
  let opened: Promise<LineRecogniser> | undefined;

  async function readLines(page: GreyRaster, lines: readonly Line[]): Promise<Reading> {
    if (lines.length === 0) return { text: "", confidence: 0, letters: 0 };
    opened ??= openLineRecogniser(packDir, settings).catch((cause: unknown) => {
      // The next call tries again, because the pack's files may have been repaired.
      opened = undefined;
      throw cause;
    });
    const words = await (await opened).read(boundedStrips(page, lines, settings.lineHeight));
    const texts: string[] = [];
    let letters = 0;
    let sum = 0;
    lines.forEach((line, index) => {
      const read = words[index] ?? [];
      const confidence = confidenceOf(read);
      letters += line.letters;
      sum += line.letters * confidence;
      if (confidence >= settings.leastConfidence) texts.push(read.map(({ text }) => text).join(" "));
    });
    return { text: texts.join("\n"), confidence: sum / letters, letters };
  }

  return {
    picture: { longSide: settings.longSide, channels: 1 },
    async read(page) {
      const grey = greyOf(page);
      const reading = await readLines(grey, findLines(grey));
      if (reading.letters < fewLetters || reading.confidence >= doubtful) return reading.text;
      let best: { page: GreyRaster; lines: readonly Line[] } | undefined;
      let most = reading.confidence + clearly;
      for (const quarters of [1, 2, 3] as const) {
        const other = turned(grey, quarters);
        const otherLines = findLines(other);
        const telling = otherLines.toSorted((one, two) => two.letters - one.letters).slice(0, tellingLines);
        const { confidence } = await readLines(other, telling);
        if (confidence <= most) continue;
        most = confidence;
        best = { page: other, lines: otherLines };
      }
      return best === undefined ? reading.text : (await readLines(best.page, best.lines)).text;
    },
    async close() {
      await (await opened)?.close();
    },
  };
}

/** The strips of the first lines, up to `maxColumns`. */
function boundedStrips(page: GreyRaster, lines: readonly Line[], height: number): Strip[] {
  const strips: Strip[] = [];
  let columns = 0;
  for (const line of lines) {
    const strip = stripOf(page, line, height);
    columns += strip.width;
    if (columns > maxColumns) break;
    strips.push(strip);
  }
  return strips;
}

/** The mean confidence of a line's letters; 0 if it has none. */
function confidenceOf(words: readonly ReadWord[]): number {
  let logs = 0;
  let letters = 0;
  for (const { text, confidence } of words) {
    logs += text.length * Math.log(confidence);
    letters += text.length;
  }
  return letters === 0 ? 0 : Math.exp(logs / letters);
}

/** Takes the green one of three channels, which contributes most to lightness. */
function greyOf({ width, height, channels, data }: Raster): GreyRaster {
  if (channels === 1) return { width, height, channels, data };
  return {
    width,
    height,
    channels: 1,
    data: Uint8Array.from({ length: width * height }, (_, at) => data[3 * at + 1] ?? 0),
  };
}

/** Turns a grey page clockwise by a number of quarter turns. */
export function turned({ width, height, data }: GreyRaster, quarters: 1 | 2 | 3): GreyRaster {
  if (quarters === 2) return { width, height, channels: 1, data: data.toReversed() };
  const result = new Uint8Array(data.length);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = quarters === 1 ? x * height + height - 1 - y : (width - 1 - x) * height + y;
      result[at] = data[y * width + x] ?? 0;
    }
  }
  return { width: height, height: width, channels: 1, data: result };
}
