import { join } from "node:path";
import { type InferenceSession, loadOnnxruntime } from "../onnxruntime.ts";
import type { TextSpace } from "../manifest.ts";
import { PackError } from "../pack-error.ts";
import { openTokenizer, partsOf } from "./tokens.ts";

/** Turns words into unit vectors. */
export interface TextEncoder {
  /**
   * Returns the vector of the whole text, then those of its parts if it is long. Empty if the model knows no word of the text.
   */
  document(text: string): Promise<readonly Float32Array[]>;
  /** Undefined if the model knows no word of the text. */
  query(text: string): Promise<Float32Array | undefined>;
  close(): Promise<void>;
}

/** Loads tokenizer and graph of a text space. Throws `PackError` if the graph differs from the manifest. */
export async function openTextEncoder(packDir: string, space: TextSpace): Promise<TextEncoder> {
  const { tokenizer, graph, prefixes, parts, dimensions } = space;
  const ort = await loadOnnxruntime();
  const words = await openTokenizer(join(packDir, tokenizer.file), tokenizer.unknownId);
  const open = (): Promise<InferenceSession> =>
    ort.InferenceSession.create(join(packDir, graph.file), {
      // The pool already runs threads, one pack in each.
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      executionMode: "sequential",
      // Texts differ in length: a memory plan for one is of no use to the next, but its memory would remain allocated.
      enableMemPattern: false,
    });
  const session = await open().catch((cause: unknown) => {
    throw new PackError(`${graph.file} of the model pack ${packDir} is not a graph that can be run`, { cause });
  });
  checkNames(session, space, packDir);
  const sessions = createTextSessions({ open, ordinary: session });

  async function embed(texts: readonly (readonly number[])[]): Promise<Float32Array[]> {
    const length = Math.max(...texts.map((tokens) => tokens.length));
    const ids = new BigInt64Array(texts.length * length);
    const weights = new Float32Array(texts.length * length);
    texts.forEach((tokens, row) => {
      tokens.forEach((id, column) => (ids[row * length + column] = BigInt(id)));
      weights.set(weightsOf(tokens), row * length);
    });
    const shape = [texts.length, length];
    const feeds = {
      [graph.inputs.ids]: new ort.Tensor("int64", ids, shape),
      [graph.inputs.weights]: new ort.Tensor("float32", weights, shape),
    };
    const results = await sessions.run(feeds, ids.length);
    const values = results[graph.output]?.data;
    if (!(values instanceof Float32Array) || values.length !== texts.length * dimensions) {
      throw new PackError(
        `${graph.file} of the model pack ${packDir} does not give float32 vectors of ${dimensions} dimensions`,
      );
    }
    return texts.map((_, row) => unit(values.subarray(row * dimensions, (row + 1) * dimensions)));
  }

  return {
    async document(text) {
      const tokens = words.encode(prefixes.document + text, tokenizer.maxTokens);
      if (tokens.length === 0) return [];
      // Two calls, because all rows of one call are padded to the longest.
      const [whole] = await embed([tokens]);
      const pieces = partsOf(tokens, parts);
      if (whole === undefined || pieces.length === 0) return whole === undefined ? [] : [whole];
      return [whole, ...(await embed(pieces)).map((part) => leaning(part, whole, parts.whole))];
    },
    async query(text) {
      const tokens = words.encode(prefixes.query + text, tokenizer.maxTokens);
      return tokens.length === 0 ? undefined : (await embed([tokens]))[0];
    },
    close: () => sessions.close(),
  };
}

function checkNames(session: InferenceSession, { graph }: TextSpace, packDir: string): void {
  const wanted = [graph.inputs.ids, graph.inputs.weights];
  const matches = wanted.every((input) => session.inputNames.includes(input)) && session.inputNames.length === 2;
  if (matches && session.outputNames.includes(graph.output)) return;
  throw new PackError(
    `${graph.file} of the model pack ${packDir} has the inputs ${session.inputNames.join(", ")} and the outputs ` +
      `${session.outputNames.join(", ")}; the manifest names ${wanted.join(", ")} and ${graph.output}`,
  );
}

/** Adds `share` times the page's vector to the part's vector, and normalises the sum. */
function leaning(part: Float32Array, whole: Float32Array, share: number): Float32Array {
  return share === 0 ? part : unit(part.map((value, index) => value + share * (whole[index] ?? 0)));
}

/** Returns a copy of length 1, because a row of the graph's output shares memory with its other rows. */
function unit(vector: Float32Array): Float32Array {
  // A loop, because spreading a thousand arguments takes longer than the sum.
  let squares = 0;
  for (const value of vector) squares += value * value;
  const norm = Math.sqrt(squares);
  return norm > 0 ? vector.map((value) => value / norm) : vector.slice();
}

/**
 * Returns the weight of each token: a token that occurs n times weighs 1 + ln n in total, the usual damping of term
 * frequency, in equal shares.
 */
export function weightsOf(tokens: readonly number[]): Float32Array {
  const counts = new Map<number, number>();
  for (const id of tokens) counts.set(id, (counts.get(id) ?? 0) + 1);
  return Float32Array.from(tokens, (id) => {
    const count = counts.get(id) ?? 1;
    return (1 + Math.log(count)) / count;
  });
}

/** Runs a graph on texts of any length, one run at a time. */
interface TextSessions {
  /** Runs the graph; `tokens` is the number of the call's tokens, padding included. */
  run(feeds: InferenceSession.FeedsType, tokens: number): Promise<InferenceSession.ReturnType>;
  close(): Promise<void>;
}

interface Options {
  /** Loads another session of the graph. */
  readonly open: () => Promise<InferenceSession>;
  /** The session that is already loaded. */
  readonly ordinary: InferenceSession;
}

/**
 * A session keeps the largest memory that a run has taken, in blocks that double in size: a text of 2,000 tokens leaves 32 MB
 * behind, one of 12,000 tokens leaves 480 MB.
 */
const maxKeptTokens = 2_048;
/** Loading the graph takes 35 ms, as long as a run on 2,500 tokens, and long texts often arrive together. */
const runsUntilClosed = 32;

/** Runs long texts in a session of their own, which is closed to free its memory when no more long texts arrive. */
function createTextSessions({ open, ordinary }: Options): TextSessions {
  let long: Promise<InferenceSession> | undefined;
  let shortRuns = 0;

  async function closeLong(): Promise<void> {
    const closing = long;
    long = undefined;
    await (await closing)?.release();
  }

  return {
    async run(feeds, tokens) {
      if (tokens > maxKeptTokens) {
        shortRuns = 0;
        long ??= open();
        // If that fails, the next long text tries it again.
        long.catch(() => (long = undefined));
        return (await long).run(feeds);
      }
      shortRuns += 1;
      if (long !== undefined && shortRuns >= runsUntilClosed) await closeLong();
      return ordinary.run(feeds);
    },
    async close() {
      await closeLong();
      await ordinary.release();
    },
  };
}
