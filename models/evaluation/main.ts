import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { collectionNames } from "./documents/collections.ts";
import { evaluateManuals } from "./documents/manuals.ts";
import { evaluateOdds } from "./documents/run-odds.ts";
import { evaluateCollections } from "./documents/run-collections.ts";
import { evaluateFolder } from "./folder.ts";
import { runPictures } from "./pictures/run.ts";
import { evaluateSets } from "./run-sets.ts";
import { runScansOfFolder } from "./scans/run-folder.ts";
import { runScans } from "./scans/run-scans.ts";
import { setNames } from "./sets.ts";

/** A sample that takes a few minutes. */
const scannedPages = 50;

const usage = `npm run eval -- [sets | collections | odds | manuals | folder DIR | pictures [DIR] | scans [DIR]] [options]

How well pages are found: nDCG@10, recall@1, 5 and 10, MRR@10, of each space and of all fused.

  sets         questions over texts, through the pack and the vector store (the default)
  collections  questions over documents of many pages, put together from the grouped training texts
  odds         the odds of scores, fitted to questions of all lengths in large and small workspaces, and how reliable they are
  manuals      questions over real manuals, through a server
  folder DIR   documents in DIR and questions.jsonl, lines of {"question", "document", "pages"}, through a server
  pictures     crops, photos and compressed pictures of pages of the PDFs in DIR, each to find its page
  scans        the sets typeset as pages, and the same pages as pictures only
  scans DIR    words read off pictures of ${scannedPages} pages of the PDFs in DIR, beside their text layer

  --data DIR   folder that has eval/*.gz; default: $DRS_EVAL_DATA or ../shared/training
  --set NAME   only this set (${setNames.join(", ")}),
               or collection (${collectionNames.join(", ")}); repeat it for more
  --corpus DIR with manuals and odds: folder of the manuals; default: $DRS_EVAL_CORPUS or ../shared/corpus/pdf
  --keep DIR   with manuals and odds: data folder of the server, kept for the next run
  --pack DIR   another model pack than the built-in one
  --calibrate  with sets: also fit weights and odds of the fusion, as pack.json has them
  --json FILE  the figures as JSON
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: "string", default: process.env["DRS_EVAL_DATA"] ?? "../shared/training" },
    set: { type: "string", multiple: true },
    pack: { type: "string", default: "builtin" },
    corpus: { type: "string", default: process.env["DRS_EVAL_CORPUS"] ?? "../shared/corpus/pdf" },
    keep: { type: "string" },
    calibrate: { type: "boolean", default: false },
    json: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});

const [what = "sets", folder, ...others] = positionals;
const figures = values.help || others.length > 0 ? undefined : await evaluate();
if (figures === undefined) {
  process.stderr.write(usage);
  process.exitCode = values.help ? 0 : 2;
} else if (values.json !== undefined) {
  await writeFile(values.json, `${JSON.stringify(figures, undefined, 2)}\n`);
}

async function evaluate(): Promise<unknown> {
  const sets = setNames.filter((name) => values.set === undefined || values.set.includes(name));
  if (what === "sets" && folder === undefined) {
    return evaluateSets({ dataDir: values.data, sets, model: values.pack, isCalibrated: values.calibrate });
  }
  if (what === "collections" && folder === undefined) {
    const collections = collectionNames.filter((name) => values.set === undefined || values.set.includes(name));
    return evaluateCollections({ dataDir: values.data, collections, model: values.pack });
  }
  const manuals = { dataDir: values.data, corpus: values.corpus, model: values.pack, keep: values.keep };
  if (what === "odds" && folder === undefined) return evaluateOdds(manuals);
  if (what === "manuals" && folder === undefined) return evaluateManuals(manuals);
  if (what === "folder" && folder !== undefined) return evaluateFolder({ folder, model: values.pack });
  if (what === "pictures") return runPictures(folder === undefined ? {} : { folder });
  if (what === "scans" && folder === undefined) {
    return runScans({ dataDir: values.data, sets, model: values.pack });
  }
  if (what === "scans" && folder !== undefined) {
    return runScansOfFolder({ folder, model: values.pack, pages: scannedPages });
  }
  return undefined;
}
