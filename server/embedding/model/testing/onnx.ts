/**
 * Test data: writes ONNX graphs from scratch, with the few fields of the format that they need (onnx.proto, IR version 8).
 * Protocol buffers are tags and lengths; see https://protobuf.dev/programming-guides/encoding/.
 */

type Field = readonly [number: number, value: number | bigint | string | Uint8Array];

function varint(value: number | bigint): number[] {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest === 0n ? low : low | 0x80);
  } while (rest !== 0n);
  return bytes;
}

function message(fields: readonly Field[]): Uint8Array {
  return Buffer.concat(
    fields.map(([number, value]) => {
      if (typeof value === "number" || typeof value === "bigint")
        return Buffer.from([...varint(number << 3), ...varint(value)]);
      const bytes = typeof value === "string" ? Buffer.from(value) : value;
      return Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(bytes.length)]), bytes]);
    }),
  );
}

/** Numbers of TensorProto.DataType. */
const types = { float32: 1, int32: 6, int64: 7, bool: 9, float16: 10 } as const;
type Type = keyof typeof types;

export interface Value {
  readonly name: string;
  readonly type: Type;
  /** A name stands for a dimension without a fixed size. */
  readonly shape: readonly (number | string)[];
}

export interface Weights {
  readonly name: string;
  readonly type: Type;
  readonly shape: readonly number[];
  readonly values: readonly number[];
  /** The file that holds the values instead of the graph. */
  readonly external?: { readonly location: string; readonly length: number };
}

export interface Node {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Whole numbers, or lists of them. */
  readonly attributes?: Readonly<Record<string, number | readonly number[]>>;
}

export interface GraphParts {
  readonly inputs: readonly Value[];
  readonly outputs: readonly Value[];
  readonly weights: readonly Weights[];
  readonly nodes: readonly Node[];
}

/** Returns the bytes of weights, as stored in a graph or in a file beside it. */
export function bytesOf({ type, values }: Pick<Weights, "type" | "values">): Uint8Array {
  switch (type) {
    case "float32":
      return new Uint8Array(Float32Array.from(values).buffer);
    case "float16":
      return new Uint8Array(Float16Array.from(values).buffer);
    case "int64":
      return new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
    case "int32":
      return new Uint8Array(Int32Array.from(values).buffer);
    case "bool":
      return Uint8Array.from(values);
  }
}

/** The bytes of an ONNX file. */
export function onnxOf({ inputs, outputs, weights, nodes }: GraphParts): Uint8Array {
  const graph = message([
    ...nodes.map((node): Field => [1, nodeOf(node)]),
    [2, "test"],
    ...weights.map((tensor): Field => [5, tensorOf(tensor)]),
    ...inputs.map((value): Field => [11, valueOf(value)]),
    ...outputs.map((value): Field => [12, valueOf(value)]),
  ]);
  const opset = message([
    [1, ""],
    [2, 17],
  ]);
  return message([
    [1, 8],
    [2, "drs"],
    [7, graph],
    [8, opset],
  ]);
}

function nodeOf({ op, inputs, outputs, attributes = {} }: Node): Uint8Array {
  return message([
    ...inputs.map((input): Field => [1, input]),
    ...outputs.map((output): Field => [2, output]),
    [3, `${op}/${outputs.join()}`],
    [4, op],
    ...Object.entries(attributes).map(([name, value]): Field => [5, attributeOf(name, value)]),
  ]);
}

function attributeOf(name: string, value: number | readonly number[]): Uint8Array {
  return typeof value === "number"
    ? message([
        [1, name],
        [3, value],
        [20, 2],
      ])
    : message([[1, name], ...value.map((one): Field => [8, one]), [20, 7]]);
}

function tensorOf({ name, type, shape, values, external }: Weights): Uint8Array {
  const described: Field[] = [...shape.map((side): Field => [1, side]), [2, types[type]], [8, name]];
  if (external === undefined) return message([...described, [9, bytesOf({ type, values })]]);
  const entry = (key: string, value: string): Field => [
    13,
    message([
      [1, key],
      [2, value],
    ]),
  ];
  return message([
    ...described,
    entry("location", external.location),
    entry("length", String(external.length)),
    [14, 1],
  ]);
}

function valueOf({ name, type, shape }: Value): Uint8Array {
  const dimensions = shape.map((side): Field => [1, message([typeof side === "number" ? [1, side] : [2, side]])]);
  const tensor = message([
    [1, types[type]],
    [2, message(dimensions)],
  ]);
  return message([
    [1, name],
    [2, message([[1, tensor]])],
  ]);
}
