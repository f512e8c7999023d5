import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { classifier, type KindWeights } from "../../server/embedding/kind/classifier.ts";
import { featuresOf } from "../../server/embedding/kind/features.ts";
import { type Kind, kinds } from "../../server/embedding/kind/kinds.ts";
import { drawPage } from "./pages.ts";
import { createRandom } from "./sheet.ts";

/** Hidden units. Few, because drawn pages are simpler than real ones, and more units would learn how they are drawn. */
const units = 20;
const epochs = 60;
const batch = 32;
const rate = 0.004;
/** Weight decay, for the same reason. */
const decay = 2e-3;
/** Noise on the standardised features, because those of real pages differ from those of drawn ones. */
const noise = 0.25;

/** Fits a network with a hidden layer: Adam (Kingma and Ba, 2015) with decoupled decay (Loshchilov and Hutter, 2019). */
function fitNetwork(inputs: readonly Float32Array[], targets: readonly (readonly number[])[]): KindWeights {
  const size = inputs[0]?.length ?? 0;
  const outputs = targets[0]?.length ?? 0;
  const { mean, deviation } = spread(inputs, size);
  const centred = inputs.map((input) => input.map((value, at) => (value - (mean[at] ?? 0)) / (deviation[at] ?? 1)));
  const random = createRandom(3);
  const normal = (): number =>
    Math.sqrt(-2 * Math.log(1 - random.between(0, 1))) * Math.cos(2 * Math.PI * random.between(0, 1));
  const hidden = parameters(units * (size + 1), () => normal() / Math.sqrt(size));
  const output = parameters(outputs * (units + 1), () => normal() / Math.sqrt(units));
  let step = 0;
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    const order = inputs.map((_, index) => index).sort(() => random.between(-1, 1));
    const pace = rate * (0.5 + 0.5 * Math.cos((Math.PI * epoch) / epochs)) + 1e-5;
    for (let from = 0; from < order.length; from += batch) {
      const chosen = order.slice(from, from + batch);
      for (const index of chosen) {
        const input = (centred[index] ?? new Float32Array(size)).map((value) => value + noise * normal());
        backward(input, targets[index] ?? [], hidden, output);
      }
      step += 1;
      for (const layer of [hidden, output]) adam(layer, chosen.length, step, pace);
    }
  }
  const rows = (values: Float64Array, width: number): number[][] =>
    Array.from({ length: values.length / width }, (_, row) =>
      Array.from(values.subarray(row * width, (row + 1) * width), round),
    );
  return {
    format: "page-kinds-1",
    mean: mean.map(round),
    deviation: deviation.map(round),
    hidden: rows(hidden.values, size + 1),
    output: rows(output.values, units + 1),
  };
}

const round = (value: number): number => Number(value.toPrecision(5));

interface Layer {
  readonly values: Float64Array;
  readonly gradient: Float64Array;
  readonly first: Float64Array;
  readonly second: Float64Array;
}

function parameters(length: number, start: () => number): Layer {
  return {
    values: Float64Array.from({ length }, start),
    gradient: new Float64Array(length),
    first: new Float64Array(length),
    second: new Float64Array(length),
  };
}

function backward(input: Float32Array, target: readonly number[], hidden: Layer, output: Layer): void {
  const size = input.length;
  const active = new Float64Array(units);
  const back = new Float64Array(units);
  for (let unit = 0; unit < units; unit += 1) {
    const row = unit * (size + 1);
    let sum = hidden.values[row + size] ?? 0;
    for (let at = 0; at < size; at += 1) sum += (hidden.values[row + at] ?? 0) * (input[at] ?? 0);
    active[unit] = Math.tanh(sum);
  }
  for (let kind = 0; kind < target.length; kind += 1) {
    const row = kind * (units + 1);
    let sum = output.values[row + units] ?? 0;
    for (let unit = 0; unit < units; unit += 1) sum += (output.values[row + unit] ?? 0) * (active[unit] ?? 0);
    const error = 1 / (1 + Math.exp(-sum)) - (target[kind] ?? 0);
    for (let unit = 0; unit < units; unit += 1) {
      add(output.gradient, row + unit, error * (active[unit] ?? 0));
      add(back, unit, error * (output.values[row + unit] ?? 0));
    }
    add(output.gradient, row + units, error);
  }
  for (let unit = 0; unit < units; unit += 1) {
    const row = unit * (size + 1);
    const error = (back[unit] ?? 0) * (1 - (active[unit] ?? 0) ** 2);
    for (let at = 0; at < size; at += 1) add(hidden.gradient, row + at, error * (input[at] ?? 0));
    add(hidden.gradient, row + size, error);
  }
}

function add(target: Float64Array, at: number, value: number): void {
  target[at] = (target[at] ?? 0) + value;
}

function adam({ values, gradient, first, second }: Layer, count: number, step: number, pace: number): void {
  for (let at = 0; at < values.length; at += 1) {
    const slope = (gradient[at] ?? 0) / count;
    first[at] = 0.9 * (first[at] ?? 0) + 0.1 * slope;
    second[at] = 0.999 * (second[at] ?? 0) + 0.001 * slope * slope;
    const move = (first[at] ?? 0) / (1 - 0.9 ** step) / (Math.sqrt((second[at] ?? 0) / (1 - 0.999 ** step)) + 1e-8);
    values[at] = (values[at] ?? 0) * (1 - pace * decay) - pace * move;
  }
  gradient.fill(0);
}

function spread(inputs: readonly Float32Array[], size: number): { mean: number[]; deviation: number[] } {
  const mean = Array.from(
    { length: size },
    (_, at) => inputs.reduce((sum, input) => sum + (input[at] ?? 0), 0) / inputs.length,
  );
  const deviation = mean.map((centre, at) =>
    Math.max(0.02, Math.sqrt(inputs.reduce((sum, input) => sum + ((input[at] ?? 0) - centre) ** 2, 0) / inputs.length)),
  );
  return { mean, deviation };
}

const { values } = parseArgs({
  options: { pages: { type: "string", default: "2400" }, out: { type: "string", default: "kinds.json" } },
});

interface Example {
  readonly features: Float32Array;
  readonly kinds: ReadonlySet<Kind>;
}

/** The cycle of pages: each kind once, then two pages of text. */
const turns: readonly (Kind | undefined)[] = [...kinds, undefined, undefined];

const count = Number(values.pages);
const examples: Example[] = [];
for (let seed = 0; seed < count; seed += 1) {
  const page = drawPage(seed, turns[seed % turns.length]);
  examples.push({ features: featuresOf(page), kinds: page.kinds });
}
const held = examples.filter((_, index) => index % 7 === 6);
const learnt = examples.filter((_, index) => index % 7 !== 6);
const weights = fitNetwork(
  learnt.map(({ features }) => features),
  learnt.map(({ kinds: shown }) => kinds.map((kind) => (shown.has(kind) ? 1 : 0))),
);
await writeFile(values.out, `${JSON.stringify(weights)}\n`);

const classify = classifier(weights);
for (const kind of kinds) {
  const found = held.filter(({ features }) => (classify(features).get(kind) ?? 0) > 0.5);
  const right = found.filter((example) => example.kinds.has(kind)).length;
  const all = held.filter((example) => example.kinds.has(kind)).length;
  process.stdout.write(`${kind.padEnd(12)} precision ${right}/${found.length} recall ${right}/${all}\n`);
}
