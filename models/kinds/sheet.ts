import { createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import type { Raster } from "../../server/embedding/raster.ts";
import { xorshift } from "../xorshift.ts";

/** A page being drawn, of about 640 pixels, the size that the built-in pack uses. */
export interface Sheet {
  readonly pen: SKRSContext2D;
  readonly width: number;
  readonly height: number;
  readonly random: Random;
  /** The page's text layer so far. */
  readonly words: string[];
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Random {
  /** Returns a uniformly distributed number. */
  between(min: number, max: number): number;
  /** Returns a whole number, both ends included. */
  count(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<Element>(elements: readonly Element[]): Element;
}

/** Creates random numbers that give the same pages in every training. */
export function createRandom(seed: number): Random {
  const next = xorshift(seed + 1);
  return {
    between: (min, max) => min + (max - min) * next(),
    count: (min, max) => min + Math.floor((max - min + 1) * next()),
    chance: (probability) => next() < probability,
    pick(elements) {
      const element = elements[Math.floor(next() * elements.length)];
      if (element === undefined) throw new Error("nothing to pick from");
      return element;
    },
  };
}

const longSide = 640;
/** One canvas for all pages: the garbage collector sees only its small handle, and would free its megabytes late. */
const canvas = createCanvas(longSide, longSide);

export function createSheet(random: Random): Sheet & { finish(): { picture: Raster; words: string } } {
  const isWide = random.chance(0.2);
  const shorter = Math.round(longSide / random.pick([1.29, 1.414, 1.414, 1.5, 1.78]));
  const [width, height] = isWide ? [longSide, shorter] : [shorter, longSide];
  canvas.width = width;
  canvas.height = height;
  const pen = canvas.getContext("2d");
  pen.fillStyle = "white";
  pen.fillRect(0, 0, width, height);
  const words: string[] = [];
  return {
    pen,
    width,
    height,
    random,
    words,
    finish: () => ({ picture: grey(pen, width, height), words: words.join(" ") }),
  };
}

function grey(pen: SKRSContext2D, width: number, height: number): Raster {
  const { data } = pen.getImageData(0, 0, width, height);
  const light = Uint8Array.from({ length: width * height }, (_, at) =>
    Math.round(0.299 * (data[4 * at] ?? 0) + 0.587 * (data[4 * at + 1] ?? 0) + 0.114 * (data[4 * at + 2] ?? 0)),
  );
  return { width, height, channels: 1, data: light };
}

export const shade = (level: number, alpha = 1): string => {
  const value = Math.round(Math.max(0, Math.min(255, level)));
  return `rgba(${value},${value},${value},${alpha})`;
};

const letters = "eeeetttaaooinnssrrhhldcumfpgwybvk".split("");

export function word({ random }: Sheet): string {
  const length = random.count(2, random.chance(0.3) ? 11 : 6);
  return Array.from({ length }, () => random.pick(letters)).join("");
}

export function number({ random }: Sheet): string {
  const value = random.between(0, 10 ** random.count(1, 5));
  return random.chance(0.5) ? value.toFixed(random.count(1, 2)) : String(Math.round(value));
}

/** Prints a line, cut at the width, and adds it to the words. */
export function print(sheet: Sheet, text: string, x: number, y: number, size: number, maxWidth = Infinity): void {
  sheet.pen.font = `${size}px ${fonts[sheet.width % fonts.length] ?? "serif"}`;
  const drawn = maxWidth === Infinity ? text : text.slice(0, Math.max(1, Math.floor((2.1 * maxWidth) / size)));
  sheet.pen.fillText(drawn, x, y);
  sheet.words.push(drawn);
}

const fonts = ["serif", "sans-serif"];
