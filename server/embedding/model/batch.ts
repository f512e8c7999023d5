import type { Floats } from "./graph.ts";
import type { TextInput, TokenInputs } from "./inputs.ts";
import type { TokenRow } from "./tokens.ts";

/** Rows of tokens, padded to one length. */
export interface Batch {
  readonly rows: readonly TokenRow[];
  /** Columns of each row. */
  readonly length: number;
  /** The column of each row's first token. */
  readonly starts: readonly number[];
}

type Padding = TextInput["padding"];

/** Pads the rows as in the model's training, because another length or side silently breaks some models. */
export function batchOf(rows: readonly TokenRow[], { to, side }: Padding, maxTokens: number): Batch {
  const longest = Math.max(...rows.map((row) => row.length));
  const length = to === "fixed" ? Math.max(maxTokens, longest) : longest;
  return { rows, length, starts: rows.map((row) => (side === "left" ? length - row.length : 0)) };
}

/** The integer tensors of a batch, by the names of the inputs, each of the shape [rows, length]. */
export function tokenFeeds(
  { rows, length, starts }: Batch,
  inputs: TokenInputs,
  paddingId: number,
): Map<string, Floats> {
  const shape = [rows.length, length];
  const tensor = (fill: number, valueAt: (row: TokenRow, index: number) => number): Floats => {
    const values = new Float32Array(rows.length * length).fill(fill);
    rows.forEach((row, at) => {
      const start = at * length + (starts[at] ?? 0);
      for (let index = 0; index < row.length; index += 1) values[start + index] = valueAt(row, index);
    });
    return { values, shape };
  };
  const feeds = new Map([[inputs.ids, tensor(paddingId, (row, index) => row[index]?.id ?? paddingId)]]);
  if (inputs.mask !== undefined)
    feeds.set(
      inputs.mask,
      tensor(0, () => 1),
    );
  if (inputs.types !== undefined)
    feeds.set(
      inputs.types,
      tensor(0, () => 0),
    );
  if (inputs.positions !== undefined)
    feeds.set(
      inputs.positions,
      tensor(0, (_, index) => index),
    );
  return feeds;
}

/** Returns the inputs that some exports of a model lack. */
export function optionalInputs({ mask, types, positions }: TokenInputs): string[] {
  return [mask, types, positions].flatMap((name) => name ?? []);
}
