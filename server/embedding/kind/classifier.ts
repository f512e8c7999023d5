import { readFile } from "node:fs/promises";
import { z } from "zod";
import { PackError } from "../pack-error.ts";
import { featureCount } from "./features.ts";
import { type Kind, kinds } from "./kinds.ts";

const numbers = (length: number) => z.array(z.number()).length(length);

/** A network with one hidden layer (tanh) and a logistic output for each kind, because a page may show several kinds. */
const schema = z
  .strictObject({
    format: z.literal("page-kinds-1"),
    mean: numbers(featureCount),
    deviation: z.array(z.number().positive()).length(featureCount),
    /** One row for each hidden unit: a weight for each feature, then the offset. */
    hidden: z
      .array(numbers(featureCount + 1))
      .min(1)
      .max(256),
    /** One row for each kind, in the order of `kinds`: a weight for each hidden unit, then the offset. */
    output: z.array(z.array(z.number())).length(kinds.length),
  })
  .refine(({ hidden, output }) => output.every((row) => row.length === hidden.length + 1), "rows of output do not fit");

export type KindWeights = z.infer<typeof schema>;

/** Returns the probability of each page type, given a page's features. */
export type KindClassifier = (features: Float32Array) => Map<Kind, number>;

/** Loads the classifier's weights. Throws `PackError` unless `models/kinds` wrote the file for this version's features. */
export async function openClassifier(file: string): Promise<KindClassifier> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new PackError(`${file} cannot be read; fetch the pack again`, { cause });
  });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new PackError(`${file} is not JSON: ${String(cause)}`, { cause });
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return classifier(parsed.data);
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`.trim());
  throw new PackError(`${file} cannot be used to classify pages: ${problems.join("; ")}`);
}

export function classifier({ mean, deviation, hidden, output }: KindWeights): KindClassifier {
  return (features) => {
    const centred = Array.from(features, (value, at) => (value - (mean[at] ?? 0)) / (deviation[at] ?? 1));
    const units = hidden.map((row) => Math.tanh(affine(row, centred)));
    return new Map(kinds.map((kind, at) => [kind, 1 / (1 + Math.exp(-affine(output[at] ?? [], units)))]));
  };
}

function affine(row: readonly number[], values: readonly number[]): number {
  return values.reduce((sum, value, at) => sum + (row[at] ?? 0) * value, row[values.length] ?? 0);
}
