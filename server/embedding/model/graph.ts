import { join } from "node:path";
import { type InferenceSession, loadOnnxruntime, type Tensor, type TensorConstructor } from "../onnxruntime.ts";
import { unprocessable } from "../../domain/errors.ts";
import { PackError } from "../pack-error.ts";

/** Numbers of a graph's input or output, converted to or from the graph's own data type. */
export interface Floats {
  readonly values: Float32Array;
  readonly shape: readonly number[];
}

/** The inputs that a tower passes to a graph and the output that it reads. */
interface GraphUse {
  readonly inputs: readonly string[];
  /** Inputs that are passed only to graphs that have them, because exports of one model differ. */
  readonly optional: readonly string[];
  /** The graph's first output if undefined. */
  readonly output: string | undefined;
  /** Rank and size of the last dimension of the output. */
  readonly rank: number;
  readonly width: number;
}

/** A loaded ONNX graph. */
export interface Graph {
  /** Returns the name of the output. Throws `PackError` if the graph cannot be used in this way. */
  check(use: GraphUse): string;
  takes(input: string): boolean;
  /** Returns the number of rows that one call may have: `wanted`, or fewer if the graph was exported for fewer. */
  rowsAtOnce(input: string, wanted: number): number;
  /**
   * Runs the graph without the feeds that it does not take. Throws `unprocessable` if the graph fails on these numbers, or its
   * output has a number that is not finite.
   */
  run(feeds: ReadonlyMap<string, Floats>, output: string): Promise<Floats>;
  close(): Promise<void>;
}

/** Loads the graph `file` of the pack, and the weight files beside it that the graph names. Throws `PackError`. */
export async function openGraph(packDir: string, file: string): Promise<Graph> {
  const ort = await loadOnnxruntime();
  const session = await ort.InferenceSession.create(join(packDir, file), {
    // The pool already runs threads, one pack in each.
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: "sequential",
    // Errors are thrown; the runtime would print them as well.
    logSeverityLevel: 4,
  }).catch((cause: unknown) => {
    throw new PackError(`${file} of the model pack ${packDir} is not a graph that can be run`, { cause });
  });
  const inputs = new Map(session.inputMetadata.flatMap((meta) => (meta.isTensor ? [[meta.name, meta]] : [])));
  const wrong: Wrong = (what) => new PackError(`${file} of the model pack ${packDir} ${what}`);

  return {
    check(use) {
      const output = use.output ?? session.outputNames[0] ?? "";
      checkNames(session, use, output, wrong);
      checkOutput(session, use, output, wrong);
      for (const { name, type } of inputs.values()) {
        if (!known.includes(type)) throw wrong(`wants its input ${name} as ${type}, which is not supported`);
      }
      return output;
    },
    takes: (input) => inputs.has(input),
    rowsAtOnce(input, wanted) {
      const rows = inputs.get(input)?.shape[0];
      return typeof rows === "number" && rows > 0 ? Math.min(rows, wanted) : wanted;
    },
    async run(feeds, output) {
      const tensors: Record<string, Tensor> = {};
      for (const [name, { values, shape }] of feeds) {
        const type = inputs.get(name)?.type;
        if (type !== undefined) tensors[name] = tensorOf(ort.Tensor, type, values, shape);
      }
      const results = await session.run(tensors, [output]).catch((cause: unknown) => {
        throw unprocessable(`the model's graph ${file} fails on it: ${reason(cause)}`);
      });
      const result = results[output];
      const values = result && floatsOf(result);
      if (result === undefined || values === undefined) throw wrong(`gives no numbers for its output ${output}`);
      if (!values.every(Number.isFinite)) {
        throw unprocessable(`the model's graph ${file} gives values for it that are not numbers`);
      }
      return { values, shape: result.dims };
    },
    close: () => session.release(),
  };
}

type Wrong = (what: string) => PackError;

function checkNames(session: InferenceSession, { inputs, optional }: GraphUse, output: string, wrong: Wrong): void {
  const matches =
    session.inputNames.every((input) => inputs.includes(input) || optional.includes(input)) &&
    inputs.every((input) => session.inputNames.includes(input));
  if (matches && session.outputNames.includes(output)) return;
  throw wrong(
    `has the inputs ${session.inputNames.join(", ")} and the outputs ${session.outputNames.join(", ")}; ` +
      `the manifest names ${inputs.join(", ")} and ${output}`,
  );
}

/** Checks the shape that the graph declares; if it leaves a dimension open, each run is checked instead. */
function checkOutput(session: InferenceSession, use: GraphUse, output: string, wrong: Wrong): void {
  const meta = session.outputMetadata.find(({ name }) => name === output);
  if (meta?.isTensor !== true || !["float32", "float16"].includes(meta.type)) {
    throw wrong(`gives its output ${output} in no floating-point numbers`);
  }
  const width = meta.shape.at(-1);
  const fits = meta.shape.length === 0 || meta.shape.length === use.rank;
  if (fits && (typeof width !== "number" || width <= 0 || width === use.width)) return;
  throw wrong(
    `gives its output ${output} in the shape [${meta.shape.join(", ")}]; ` +
      `the manifest wants ${use.rank} dimensions, ${use.width} in the last`,
  );
}

const known: readonly Tensor.Type[] = ["float32", "float16", "int64", "int32", "uint8", "bool"];

function tensorOf(
  Tensor: TensorConstructor,
  type: Tensor.Type,
  values: Float32Array,
  shape: readonly number[],
): Tensor {
  switch (type) {
    case "float16": {
      const bits = new Uint16Array(new Float16Array(values).buffer);
      const tensor = new Tensor("float16", bits, shape);
      // The constructor makes a Float16Array of the bits, in which the native part of runtime 1.30 finds no elements.
      return Object.defineProperty(tensor, "data", { value: bits });
    }
    case "int64":
      return new Tensor("int64", BigInt64Array.from(values, BigInt), shape);
    case "int32":
      return new Tensor("int32", Int32Array.from(values), shape);
    case "uint8":
      return new Tensor("uint8", Uint8Array.from(values), shape);
    case "bool":
      return new Tensor("bool", Uint8Array.from(values, Number), shape);
    default:
      return new Tensor("float32", values, shape);
  }
}

function floatsOf({ data }: Tensor): Float32Array | undefined {
  if (data instanceof Float32Array) return data;
  return data instanceof Float16Array ? Float32Array.from(data) : undefined;
}

/** Returns the message in the first line of the runtime's error, without positions in its source. */
function reason(cause: unknown): string {
  const [line = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
  const [, message = line] = /Status Message: (.*)/u.exec(line) ?? [];
  return message.replace(/^\/\S+ .*?\) /u, "").slice(0, 200);
}
