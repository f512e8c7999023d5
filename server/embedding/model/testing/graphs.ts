import { z } from "zod";
import { bytesOf, type GraphParts, type Node, onnxOf, type Value, type Weights } from "./onnx.ts";

/** Test data: tiny graphs of each family of models. `models/ready/reference.py` computes the same without ONNX. */
export const graphKind = z.strictObject({
  kind: z.enum(["encoder", "text", "vision", "both", "colpali"]),
  width: z.int(),
  seed: z.number(),
  /** Side of the picture or tile, pixels. */
  size: z.int().optional(),
  /** Maximum tokens. */
  length: z.int().optional(),
  layout: z.enum(["NCHW", "NHWC"]).optional(),
  type: z.enum(["float32", "float16"]).optional(),
  perTile: z.int().optional(),
  /** The file beside the graph for its weights. */
  external: z.string().optional(),
});

type GraphKind = z.infer<typeof graphKind>;

/** Facts about the tokenizer that a graph depends on, besides the graph's own settings. */
interface GraphContext {
  readonly vocabulary: number;
  /** Id of the placeholder for pictures. */
  readonly imageId: number;
}

interface GraphFiles {
  readonly graph: Uint8Array;
  readonly external: Uint8Array | undefined;
}

/** The bytes of the graph's file, and of the one beside it. */
export function graphFiles(kind: GraphKind, context: GraphContext): GraphFiles {
  const parts = partsOf(kind, context);
  return { graph: onnxOf(parts), external: kind.external === undefined ? undefined : bytesOf(seenTable(kind)) };
}

function partsOf(kind: GraphKind, context: GraphContext): GraphParts {
  switch (kind.kind) {
    case "encoder":
      return encoder(kind, context);
    case "text":
      return textTower(kind, context);
    case "vision":
      return visionTower(kind);
    case "both":
      return both(textTower(kind, context, true), visionTower(kind));
    case "colpali":
      return colpali(kind, context);
  }
}

const both = (a: GraphParts, b: GraphParts): GraphParts => ({
  inputs: [...a.inputs, ...b.inputs],
  outputs: [...a.outputs, ...b.outputs],
  weights: [...a.weights, ...b.weights],
  nodes: [...a.nodes, ...b.nodes],
});

/** Numbers by a formula that needs only a sine, rounded to 32 bits. */
function formula(name: string, seed: number, shape: readonly number[], type: Weights["type"] = "float32"): Weights {
  const length = shape.reduce((product, side) => product * side, 1);
  const values = Array.from({ length }, (_, at) => Math.fround(Math.sin(seed + 0.37 * at + 0.001 * at * at)));
  return { name, type, shape, values };
}

const integers = (name: string, values: readonly number[]): Weights => ({
  name,
  type: "int64",
  shape: [values.length],
  values,
});
const half: Weights = { name: "half", type: "float32", shape: [1], values: [0.5] };
const tokens = (name: string): Value => ({ name, type: "int64", shape: ["rows", "tokens"] });
const node = (op: string, inputs: readonly string[], output: string, attributes: Node["attributes"] = {}): Node => ({
  op,
  inputs,
  outputs: [output],
  attributes,
});

/** `hidden` plus half its mean over the unmasked tokens: a stand-in for attention. */
function attention(output: string): Pick<GraphParts, "weights" | "nodes"> {
  return {
    weights: [half, integers("axis1", [1]), integers("axis2", [2])],
    nodes: [
      node("Cast", ["attention_mask"], "floats", { to: 1 }),
      node("Unsqueeze", ["floats", "axis2"], "mask"),
      node("Mul", ["hidden", "mask"], "masked"),
      node("ReduceSum", ["masked", "axis1"], "sum", { keepdims: 1 }),
      node("ReduceSum", ["mask", "axis1"], "count", { keepdims: 1 }),
      node("Div", ["sum", "count"], "mean"),
      node("Mul", ["mean", "half"], "context"),
      node("Add", ["hidden", "context"], output),
    ],
  };
}

function encoder({ width, seed }: GraphKind, { vocabulary }: GraphContext): GraphParts {
  const { weights, nodes } = attention("last_hidden_state");
  return {
    inputs: [tokens("input_ids"), tokens("attention_mask"), tokens("token_type_ids")],
    outputs: [{ name: "last_hidden_state", type: "float32", shape: ["rows", "tokens", width] }],
    weights: [formula("table", seed, [vocabulary, width]), formula("kinds", seed + 0.5, [2, width]), ...weights],
    nodes: [
      node("Gather", ["table", "input_ids"], "words"),
      node("Gather", ["kinds", "token_type_ids"], "types"),
      node("Add", ["words", "types"], "hidden"),
      ...nodes,
    ],
  };
}

/** A sum of embeddings by place: padding counts, unless `ignoresPadding`. */
function textTower(
  { width, seed, length = 1 }: GraphKind,
  { vocabulary }: GraphContext,
  ignoresPadding = false,
): GraphParts {
  return {
    inputs: [tokens("input_ids")],
    outputs: [{ name: "text_embeds", type: "float32", shape: ["rows", width] }],
    weights: [
      formula("table", seed, [vocabulary, width]),
      formula("places", seed + 0.25, [length, 1]),
      integers("zero", [0]),
      integers("one", [1]),
      integers("two", [2]),
    ],
    nodes: [
      node("Shape", ["input_ids"], "shape"),
      node("Slice", ["shape", "one", "two"], "count"),
      node("Slice", ["places", "zero", "count", "zero"], "here"),
      node("Gather", ["table", "input_ids"], "words"),
      node("Mul", ["words", "here"], "placed"),
      node("Sign", ["input_ids"], "signs"),
      node("Cast", ["signs"], "known", { to: 1 }),
      node("Unsqueeze", ["known", "two"], "column"),
      node("Mul", ["placed", "column"], "masked"),
      node("ReduceSum", [ignoresPadding ? "masked" : "placed", "one"], "text_embeds", { keepdims: 0 }),
    ],
  };
}

function visionTower({ width, seed, size = 1, layout, type = "float32" }: GraphKind): GraphParts {
  const one = layout === "NHWC" ? [size, size, 3] : [3, size, size];
  return {
    inputs: [{ name: "pixel_values", type, shape: ["pictures", ...one] }],
    outputs: [{ name: "image_embeds", type, shape: ["pictures", width] }],
    weights: [formula("look", seed + 0.75, [3 * size * size, width], type)],
    nodes: [node("Flatten", ["pixel_values"], "flat", { axis: 1 }), node("MatMul", ["flat", "look"], "image_embeds")],
  };
}

function seenTable({ width, seed, size = 1, perTile = 1 }: GraphKind): Weights {
  return formula("look", seed + 0.75, [3 * size * size, width * perTile]);
}

/** Adds the features of the tiles to the placeholders, in order. */
function colpali(kind: GraphKind, { vocabulary, imageId }: GraphContext): GraphParts {
  const { width, seed, size = 1, external } = kind;
  const { weights, nodes } = attention("last_hidden_state");
  const table = seenTable(kind);
  const outside = external === undefined ? {} : { external: { location: external, length: bytesOf(table).length } };
  return {
    inputs: [
      tokens("input_ids"),
      tokens("attention_mask"),
      { name: "pixel_values", type: "float32", shape: ["pictures", "tiles", 3, size, size] },
      { name: "pixel_attention_mask", type: "bool", shape: ["pictures", "tiles", size, size] },
    ],
    outputs: [{ name: "last_hidden_state", type: "float32", shape: ["rows", "tokens", width] }],
    weights: [
      formula("table", seed, [vocabulary, width]),
      { ...table, ...outside },
      integers("image", [imageId]),
      integers("zero", [0]),
      integers("one", [1]),
      integers("tile", [-1, 3 * size * size]),
      integers("vector", [-1, width]),
      ...weights,
    ],
    nodes: [
      node("Gather", ["table", "input_ids"], "words"),
      node("Reshape", ["pixel_values", "tile"], "flat"),
      node("MatMul", ["flat", "look"], "wide"),
      node("Reshape", ["wide", "vector"], "seen"),
      node("Equal", ["input_ids", "image"], "matches"),
      node("NonZero", ["matches"], "columns"),
      node("Transpose", ["columns"], "places", { perm: [1, 0] }),
      node("Shape", ["places"], "shape"),
      node("Slice", ["shape", "zero", "one"], "filled"),
      node("Slice", ["seen", "zero", "filled", "zero"], "used"),
      node("GatherND", ["words", "places"], "before"),
      node("Add", ["before", "used"], "after"),
      node("ScatterND", ["words", "places", "after"], "hidden"),
      ...nodes,
    ],
  };
}
