import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { classifier } from "../../server/embedding/kind/classifier.ts";
import { featuresOf } from "../../server/embedding/kind/features.ts";
import { type Kind, kinds } from "../../server/embedding/kind/kinds.ts";
import { fitNetwork } from "./fit.ts";
import { drawPage } from "./pages.ts";

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
