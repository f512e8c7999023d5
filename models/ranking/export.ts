import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fuse } from "../../server/ranking/fuse/fusion.ts";
import { loadPack, readManifest } from "../../server/embedding/load.ts";
import type { LoadedPack } from "../../server/embedding/pack.ts";
import { resolvePackDir } from "../../server/embedding/packs.ts";
import { featureNames } from "../../server/domain/ports/pack-ranking.ts";
import { featuresOf } from "../../server/ranking/rerank/gains.ts";
import { withOwnIndex } from "../evaluation/index-set.ts";
import { type CollectionName, collectionNames, readAny } from "../evaluation/documents/collections.ts";
import { indexCollection, pageOf } from "../evaluation/documents/index-collection.ts";
import { type SetName, setNames } from "../evaluation/sets.ts";

/** Writes, for every question of the collections, the candidates with their scores by space and their features. */
const { values } = parseArgs({
  options: {
    data: { type: "string", default: process.env["DRS_EVAL_DATA"] ?? "../shared/training" },
    pack: { type: "string", default: "builtin" },
    out: { type: "string", default: "models/ranking/out" },
    only: { type: "string", multiple: true },
  },
});
await mkdir(values.out, { recursive: true });
const packDir = resolvePackDir(values.pack);
const pack = await loadPack(packDir);
const group = (await readManifest(packDir)).fusion.find(({ ranker }) => ranker !== undefined);
if (group === undefined) throw new Error(`${pack.id} has no ranker`);
const ranked = group;
for (const name of [...setNames, ...collectionNames]) {
  if (values.only !== undefined && !values.only.includes(name)) continue;
  const lines = await exportCollection(pack, name);
  await writeFile(join(values.out, `${name}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  process.stderr.write(`${name}: ${lines.length} questions\n`);
}
await pack.close();

async function exportCollection(loaded: LoadedPack, name: SetName | CollectionName): Promise<unknown[]> {
  const collection = await readAny(values.data, name);
  return withOwnIndex(async (vectors) => {
    const lines: unknown[] = [];
    const index = await indexCollection(loaded, vectors, collection);
    for (const question of collection.questions) {
      const { candidates: found, reading } = await index.search(question.text);
      if (reading === undefined) throw new Error("the pack has no ranker");
      const answers = index.answersOf(question);
      const { sum, likeness, spaces } = fuse(ranked, found);
      const { read, values: features } = featuresOf(found, sum, reading);
      const rows = new Map(read.map((place, row) => [place, row]));
      const candidates = found.pages.map((page, place) => {
        const row = rows.get(place);
        return {
          isAnswer: answers.has(pageOf(page)),
          dataset: page.datasetId,
          page: page.page,
          evidence: sum[place],
          likeness: likeness?.[place] ?? 0,
          scores: Object.fromEntries(
            spaces
              .filter(({ scores }) => !Number.isNaN(scores[place]))
              .map(({ name: space, scores }) => [space, scores[place]]),
          ),
          features:
            row === undefined
              ? undefined
              : Object.fromEntries(featureNames.map((feature) => [feature, features[feature][row]])),
        };
      });
      lines.push({ question: question.text, isNamed: question.isNamed, answers: answers.size, candidates });
    }
    return lines;
  });
}
