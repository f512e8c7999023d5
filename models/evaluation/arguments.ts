import { join } from "node:path";
import { parseArgs } from "node:util";
import { type CollectionName, collectionNames } from "./documents/collections.ts";
import { type SetName, setNames } from "./sets.ts";

/** The number of pages of a sample that takes a few minutes. */
export const scannedPages = 50;

export const usage = `npm run eval -- [sets | collections | odds | manuals | mixed | folder DIR | pictures [DIR] | crops [DIR] | scans [DIR]] [options]

How well pages are found: nDCG@10, recall@1, 5 and 10, MRR@10, of each space and of all fused.

  sets         questions over texts, through the pack and the vector store (the default)
  collections  questions over documents of many pages, put together from the grouped training texts
  odds         the odds of scores, fitted to questions of all lengths in large and small workspaces, and how reliable they are
  manuals      questions over real manuals, through a server
  mixed        questions over real slides, brochures, reports, papers and scans, through a server
  folder DIR   documents in DIR and questions.jsonl, lines of {"question", "document", "pages"}, through a server
  pictures     crops, photos and compressed pictures of pages of the PDFs in DIR/pdf, each to find its page
  crops        parts of pages of the PDFs in DIR/pdf, 20 to 80 % of each side, each to find its page, through a server
  scans        the sets typeset as pages, and the same pages as pictures only
  scans DIR    words read off pictures of ${scannedPages} pages of the PDFs in DIR, beside their text layer

  --data DIR   folder that has eval/*.gz and pairs/*.gz; default: $DRS_EVAL_DATA or ../shared/training
  --set NAME   with sets and scans: only this set (${setNames.join(", ")});
               with collections: only this one (${collectionNames.join(", ")}); repeat it for more
  --corpus DIR with manuals and odds: folder of the manuals; default: $DRS_EVAL_CORPUS or ../shared/corpus/pdf;
               with mixed: folder of its documents; default: eval/mixed in the folder of --data
  --keep DIR   with manuals, mixed, odds and crops: data folder of the server, kept for the next run
  --pack DIR   another model pack than the built-in one
  --calibrate  with sets: also fit weights and odds of the fusion, as pack.json has them
  --json FILE  the figures as JSON
`;

/** Thrown for wrong arguments. The message lists the right ones. */
export class WrongUse extends Error {
  override readonly name = "WrongUse";
}

interface Common {
  readonly dataDir: string;
  readonly model: string;
  /** A file for the figures. */
  readonly json: string | undefined;
}

export type Arguments = Common &
  (
    | { readonly what: "sets"; readonly sets: readonly SetName[]; readonly isCalibrated: boolean }
    | { readonly what: "collections"; readonly collections: readonly CollectionName[] }
    | { readonly what: "odds" | "manuals" | "mixed"; readonly corpus: string; readonly keep: string | undefined }
    | { readonly what: "folder"; readonly folder: string }
    | { readonly what: "pictures"; readonly folder: string | undefined }
    | { readonly what: "crops"; readonly folder: string; readonly keep: string | undefined }
    | { readonly what: "scans"; readonly sets: readonly SetName[]; readonly folder: string | undefined }
  );

/** The evaluations that take an option. Options that are not listed belong to all evaluations. */
const options = {
  set: ["sets", "scans", "collections"],
  corpus: ["manuals", "mixed", "odds"],
  keep: ["manuals", "mixed", "odds", "crops"],
  calibrate: ["sets"],
} as const;

/** Reads the command line. Returns undefined if help is requested. Throws `WrongUse`. */
export function readArguments(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Arguments | undefined {
  const { values, positionals } = parse(words);
  if (values.help === true) return undefined;
  const [what = "sets", folder, ...others] = positionals;
  if (others.length > 0) throw new WrongUse(`there is one folder at most: ${others.join(" ")} is too much`);
  for (const [option, whats] of Object.entries(options)) {
    if (Object.keys(values).includes(option) && !whats.some((one) => one === what)) {
      throw new WrongUse(`--${option} goes with ${whats.join(", ")}, not with ${what}`);
    }
  }
  const common = {
    dataDir: values.data ?? env["DRS_EVAL_DATA"] ?? "../shared/training",
    model: values.pack ?? "builtin",
    json: values.json,
  };
  if (what === "folder" && folder === undefined)
    throw new WrongUse("folder needs DIR, with documents and questions.jsonl");
  if (what === "folder" && folder !== undefined) return { ...common, what, folder };
  if (what === "pictures") return { ...common, what, folder };
  if (what === "crops") {
    return { ...common, what, folder: folder ?? env["DRS_CORPUS"] ?? "../shared/corpus", keep: values.keep };
  }
  if (what === "scans") return { ...common, what, folder, sets: chosen("set", setNames, values.set) };
  if (folder !== undefined && isFolderless(what)) throw new WrongUse(`${what} takes no folder: ${folder} is too much`);
  switch (what) {
    case "sets":
      return { ...common, what, sets: chosen("set", setNames, values.set), isCalibrated: values.calibrate ?? false };
    case "collections":
      return { ...common, what, collections: chosen("collection", collectionNames, values.set) };
    case "odds":
    case "manuals": {
      const corpus = values.corpus ?? env["DRS_EVAL_CORPUS"] ?? "../shared/corpus/pdf";
      return { ...common, what, corpus, keep: values.keep };
    }
    case "mixed":
      return {
        ...common,
        what,
        corpus: values.corpus ?? join(common.dataDir, "eval", "mixed"),
        keep: values.keep,
      };
    default:
      throw new WrongUse(`there is no evaluation of ${what}; --help lists them`);
  }
}

const isFolderless = (what: string): boolean => ["sets", "collections", "odds", "manuals", "mixed"].includes(what);

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        data: { type: "string" },
        set: { type: "string", multiple: true },
        pack: { type: "string" },
        corpus: { type: "string" },
        keep: { type: "string" },
        calibrate: { type: "boolean" },
        json: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (cause) {
    throw cause instanceof TypeError ? new WrongUse(cause.message) : cause;
  }
}

function chosen<Name extends string>(
  kind: string,
  known: readonly Name[],
  wanted: readonly string[] | undefined,
): readonly Name[] {
  if (wanted === undefined) return known;
  for (const name of wanted) {
    if (!known.some((one) => one === name)) {
      throw new WrongUse(`no ${kind} is called ${name}; there are ${known.join(", ")}`);
    }
  }
  return known.filter((name) => wanted.includes(name));
}
