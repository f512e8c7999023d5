import { join } from "node:path";
import type { Raster } from "../raster.ts";
import { type Batch, batchOf, optionalInputs, tokenFeeds } from "./batch.ts";
import { fitPicture, type FittedPicture } from "./fit.ts";
import { type Floats, type Graph, openGraph } from "./graph.ts";
import { inColour, pixelsOf } from "./fit.ts";
import { vectorsOf } from "./pooling.ts";
import type { ImageInput, Prompt, TextInput } from "./inputs.ts";
import type { PartSettings, Tower } from "./settings.ts";
import { type ModelTokenizer, openModelTokenizer, type TokenRow } from "./tokens.ts";
import { PackError } from "../pack-error.ts";

/** Turns texts or pictures into vectors. The methods throw `unprocessable` if the model fails on an input. */
export interface OpenTower {
  /** Returns one vector for the text or one for each token; none if the text is blank. */
  text(text: string): Promise<readonly Float32Array[]>;
  /** Returns the vectors of the parts of a long text; none for a short one. */
  parts(text: string, parts: PartSettings): Promise<readonly Float32Array[]>;
  picture(picture: Raster): Promise<readonly Float32Array[]>;
}

/** The graphs and tokenizers of a pack, each loaded once on first use. */
export interface PackFiles {
  graph(file: string): Promise<Graph>;
  tokenizer(file: string): Promise<ModelTokenizer>;
  close(): Promise<void>;
}

/** Maximum texts in one call: more would save little time, and memory grows with their number. */
const maxRows = 8;

export function openPackFiles(packDir: string): PackFiles {
  const graphs = new Map<string, Promise<Graph>>();
  const tokenizers = new Map<string, Promise<ModelTokenizer>>();
  return {
    graph: (file) => once(graphs, file, () => openGraph(packDir, file)),
    tokenizer: (file) => once(tokenizers, file, () => openModelTokenizer(join(packDir, file))),
    async close() {
      const closing = [...graphs.values()];
      graphs.clear();
      // Graphs that could not be opened have nothing to close.
      await Promise.allSettled(closing.map(async (graph) => (await graph).close()));
    },
  };
}

function once<Value>(made: Map<string, Promise<Value>>, key: string, make: () => Promise<Value>): Promise<Value> {
  const value = made.get(key) ?? make();
  made.set(key, value);
  return value;
}

/** Loads the graph and tokenizers of a tower. Throws `PackError` if they differ from the manifest. */
export async function openTower(files: PackFiles, settings: Tower, dimensions: number): Promise<OpenTower> {
  const { text, image, prompt, output } = settings;
  const graph = await files.graph(settings.graph);
  const constants = settings.constants.map(({ input, shape, value }): [string, Floats] => {
    const values = new Float32Array(shape.reduce((product, side) => product * side, 1)).fill(value);
    return [input, { values, shape }];
  });
  const outputName = graph.check({
    inputs: requiredInputs(settings),
    optional: [
      ...[text, prompt].flatMap((words) => (words === undefined ? [] : optionalInputs(words.inputs))),
      ...(image?.maskInput === undefined ? [] : [image.maskInput]),
      ...constants.map(([input]) => input),
    ],
    output: output.name,
    rank: output.pooling === "none" ? 2 : 3,
    width: output.dimensions,
  });
  const words = text && { settings: text, tokenizer: await files.tokenizer(text.tokenizer) };
  const beside = prompt && { settings: prompt, tokenizer: await files.tokenizer(prompt.tokenizer) };

  async function run(
    feeds: Iterable<[string, Floats]>,
    batch: Batch | undefined,
  ): Promise<(readonly Float32Array[])[]> {
    const result = await graph.run(new Map([...constants, ...feeds]), outputName);
    return vectorsOf(result, batch, output, dimensions);
  }

  async function embed(rows: readonly TokenRow[], { padding, maxTokens, inputs }: TextInput): Promise<Float32Array[]> {
    // Shorter rows would be padded, and the graph could not know which tokens are padding.
    const canTellPadding = padding.to === "fixed" || (inputs.mask !== undefined && graph.takes(inputs.mask));
    const atOnce = canTellPadding ? graph.rowsAtOnce(inputs.ids, maxRows) : 1;
    const vectors: Float32Array[] = [];
    for (let from = 0; from < rows.length; from += atOnce) {
      const batch = batchOf(rows.slice(from, from + atOnce), padding, maxTokens);
      vectors.push(...(await run(tokenFeeds(batch, inputs, padding.id), batch)).flat());
    }
    return vectors;
  }

  return {
    async text(given) {
      const row = words?.tokenizer.encode(given, words.settings) ?? [];
      return words === undefined || row.length === 0 ? [] : embed([row], words.settings);
    },
    async parts(given, size) {
      return words === undefined ? [] : embed(words.tokenizer.encodeParts(given, words.settings, size), words.settings);
    },
    async picture(picture) {
      if (image === undefined) return [];
      const fitted = fitPicture(inColour(picture), image);
      const feeds = new Map([[image.input, pixelsOf(fitted, image)]]);
      if (image.maskInput !== undefined) feeds.set(image.maskInput, fullMask(fitted.views.length, image));
      if (beside === undefined) return (await run(feeds, undefined)).flat();
      const row = promptOf(fitted, beside.settings, beside.tokenizer);
      const batch = batchOf([row], { to: "longest", id: 0, side: "right" }, row.length);
      const tokens = tokenFeeds(batch, beside.settings.inputs, 0);
      return (await run([...feeds, ...tokens], output.pooling === "none" ? undefined : batch)).flat();
    },
  };
}

function requiredInputs({ text, image, prompt }: Tower): string[] {
  return [text?.inputs.ids, image?.input, prompt?.inputs.ids].flatMap((input) => input ?? []);
}

function fullMask(views: number, { size }: ImageInput): Floats {
  return {
    values: new Float32Array(views * size.width * size.height).fill(1),
    shape: [1, views, size.height, size.width],
  };
}

/**
 * Returns the tokens that a vision-language model reads with a picture: placeholders for its tiles, and the words around
 * them, whose role is "prefix". Throws `PackError` if the tokenizer does not know the placeholder as one token.
 */
function promptOf({ views, rows, columns }: FittedPicture, settings: Prompt, tokenizer: ModelTokenizer): TokenRow {
  const { token, perTile } = settings.placeholder;
  const tokens = token.repeat(perTile);
  const tiles = Array.from({ length: rows }, (_, row) => {
    const line = Array.from({ length: columns }, (_unused, column) =>
      filled(settings.tile, { tokens, row: String(row + 1), column: String(column + 1) }),
    );
    return line.join("") + settings.rowEnd;
  });
  const whole = filled(rows === 0 ? settings.alone : settings.whole, { tokens });
  const text = filled(settings.text, { image: tiles.join("") + whole });

  const placeholder = tokenizer.idsOf(token, false);
  const ids = tokenizer.idsOf(text, settings.specialTokens);
  const found = ids.filter((id) => id === placeholder[0]).length;
  if (placeholder.length !== 1 || found !== views.length * perTile) {
    throw new PackError(`the tokenizer ${settings.tokenizer} does not know ${token} as one token`);
  }
  return ids.map((id) => ({ id, role: id === placeholder[0] ? "text" : "prefix" }));
}

/** Replaces each `{name}` by its value; values are not searched for names. */
function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/gu, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
  );
}
