import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type InferenceSession, loadOnnxruntime } from "../onnxruntime.ts";
import { z } from "zod";
import { PackError } from "../pack-error.ts";
import type { OcrSettings } from "./settings.ts";
import type { Strip } from "./strip.ts";

/** Reads lines; it belongs to one thread. */
export interface LineRecogniser {
  /** Returns the words of each line, in the order of the lines. */
  read(strips: readonly Strip[]): Promise<ReadWord[][]>;
  close(): Promise<void>;
}

/** Maximum columns of one call, padding included: this bounds the graph's memory to some 20 MB. */
const columnsAtOnce = 8_000;
/** The graph takes this many columns per step, and gives two answers for each step. */
const columnsPerStep = 4;
const answersPerStep = 2;

const alphabetJson = z.object({ letters: z.string().min(1) });

/** Loads the graph and its letters. Throws `PackError` if they differ from the manifest. */
export async function openLineRecogniser(packDir: string, settings: OcrSettings): Promise<LineRecogniser> {
  const { graph, lineHeight } = settings;
  const letters = await readLetters(join(packDir, settings.alphabet));
  const ort = await loadOnnxruntime();
  const session = await ort.InferenceSession.create(join(packDir, graph.file), {
    // The pool already runs threads, one recogniser in each.
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: "sequential",
    // Every call has a different width, so a memory plan for one is of no use to the next.
    enableMemPattern: false,
  }).catch((cause: unknown) => {
    throw new PackError(`${graph.file} of the model pack ${packDir} is not a graph that can be run`, { cause });
  });
  checkNames(session, settings, packDir);

  /** Reads strips of about the same width, which are padded with paper. */
  async function readBatch(strips: readonly Strip[]): Promise<ReadWord[][]> {
    const widest = strips.reduce((most, { width }) => Math.max(most, width), 0);
    const width = Math.ceil(widest / columnsPerStep) * columnsPerStep;
    const data = new Float32Array(strips.length * lineHeight * width);
    strips.forEach((strip, index) => {
      for (let row = 0; row < lineHeight; row += 1) {
        const values = strip.data.subarray(row * strip.width, (row + 1) * strip.width);
        data.set(values, (index * lineHeight + row) * width);
      }
    });
    const shape = [strips.length, 1, lineHeight, width];
    const results = await session.run({ [graph.input]: new ort.Tensor("float32", data, shape) });
    const numbers = results[graph.outputs.letters]?.data;
    const likelihoods = results[graph.outputs.likelihoods]?.data;
    const answers = (width / columnsPerStep) * answersPerStep;
    const fits =
      numbers instanceof Int32Array &&
      likelihoods instanceof Float32Array &&
      numbers.length === strips.length * answers &&
      likelihoods.length === numbers.length;
    if (!fits) {
      throw new PackError(
        `${graph.file} of the model pack ${packDir} does not give int32 letters and float32 likelihoods, ${answersPerStep} for every ${columnsPerStep} columns`,
      );
    }
    return strips.map((strip, index) => {
      const from = index * answers;
      // Letters read in the padding are not part of the line.
      const to = from + Math.ceil(strip.width / columnsPerStep) * answersPerStep;
      return wordsOf(numbers.subarray(from, to), likelihoods.subarray(from, to), letters);
    });
  }

  return {
    async read(strips) {
      const words = strips.map((): ReadWord[] => []);
      for (const batch of batchesOf(strips)) {
        const read = await readBatch(batch.map(({ strip }) => strip));
        batch.forEach(({ index }, at) => (words[index] = read[at] ?? []));
      }
      return words;
    },
    close: () => session.release(),
  };
}

interface Numbered {
  readonly index: number;
  readonly strip: Strip;
}

/** Puts narrow strips first, so that the strips of a batch need little padding. */
function batchesOf(strips: readonly Strip[]): Numbered[][] {
  const sorted = strips
    .map((strip, index) => ({ index, strip }))
    .toSorted((one, other) => one.strip.width - other.strip.width);
  const batches: Numbered[][] = [];
  let batch: Numbered[] = [];
  for (const numbered of sorted) {
    if (batch.length > 0 && (batch.length + 1) * numbered.strip.width > columnsAtOnce) {
      batches.push(batch);
      batch = [];
    }
    batch.push(numbered);
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

async function readLetters(file: string): Promise<string[]> {
  try {
    return Array.from(alphabetJson.parse(JSON.parse(await readFile(file, "utf8"))).letters);
  } catch (cause) {
    throw new PackError(`${file} is not an alphabet that this version of drs can load`, { cause });
  }
}

function checkNames(session: InferenceSession, { graph }: OcrSettings, packDir: string): void {
  const outputs = Object.values(graph.outputs);
  const matches =
    session.inputNames.length === 1 &&
    session.inputNames.includes(graph.input) &&
    outputs.every((name) => session.outputNames.includes(name));
  if (matches) return;
  throw new PackError(
    `${graph.file} of the model pack ${packDir} has the inputs ${session.inputNames.join(", ")} and the outputs ` +
      `${session.outputNames.join(", ")}; the manifest names ${graph.input} and ${outputs.join(", ")}`,
  );
}

/** A word that was read, and the geometric mean of its letters' likelihoods. */
export interface ReadWord {
  readonly text: string;
  readonly confidence: number;
}

/**
 * Decodes the words of a line from the likeliest letter of each step: repeated letters count once unless "none" divides
 * them (connectionist temporal classification, A. Graves and others, ICML 2006; best path).
 */
export function wordsOf(numbers: Int32Array, likelihoods: Float32Array, letters: readonly string[]): ReadWord[] {
  const words: ReadWord[] = [];
  let text = "";
  let logs = 0;
  let count = 0;
  const finish = (): void => {
    if (text !== "") words.push({ text, confidence: Math.exp(logs / count) });
    text = "";
    logs = 0;
    count = 0;
  };
  let before = 0;
  for (let step = 0; step < numbers.length; step += 1) {
    const number = numbers[step] ?? 0;
    const letter = letters[number - 1];
    if (number !== before && letter !== undefined) {
      if (letter === " ") finish();
      else {
        text += letter;
        logs += Math.log(Math.max(1e-6, likelihoods[step] ?? 0));
        count += 1;
      }
    }
    before = number;
  }
  finish();
  return words;
}
