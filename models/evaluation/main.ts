import { access, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type Arguments, readArguments, scannedPages, usage, WrongUse } from "./arguments.ts";
import { evaluateQuestions } from "./documents/run-questions.ts";
import { evaluateOdds } from "./documents/run-odds.ts";
import { evaluateCollections } from "./documents/run-collections.ts";
import { evaluateFolder } from "./folder.ts";
import { runPictures } from "./pictures/run.ts";
import { runCrops } from "./pictures/run-crops.ts";
import { evaluateSets } from "./run-sets.ts";
import { runScansOfFolder } from "./scans/run-folder.ts";
import { runScans } from "./scans/run-scans.ts";

try {
  const asked = readArguments(process.argv.slice(2), process.env);
  if (asked === undefined) process.stdout.write(usage);
  else await run(asked);
} catch (cause) {
  const said = mistakeIn(cause);
  if (said === undefined) throw cause;
  process.stderr.write(`error: ${said}\n  → npm run eval -- --help\n`);
  process.exitCode = cause instanceof WrongUse ? 2 : 1;
}

async function run(asked: Arguments): Promise<void> {
  const { json } = asked;
  // Fails early, not after minutes.
  if (json !== undefined) await access(dirname(resolve(json)));
  if ("corpus" in asked) await access(asked.corpus);
  const figures = await evaluate(asked);
  if (json !== undefined) await writeFile(json, `${JSON.stringify(figures, undefined, 2)}\n`);
}

function evaluate(asked: Arguments): Promise<unknown> {
  const { dataDir, model } = asked;
  switch (asked.what) {
    case "sets":
      return evaluateSets({ dataDir, model, sets: asked.sets, isCalibrated: asked.isCalibrated });
    case "collections":
      return evaluateCollections({ dataDir, model, collections: asked.collections });
    case "odds":
      return evaluateOdds({ dataDir, model, corpus: asked.corpus, keep: asked.keep });
    case "manuals":
    case "mixed":
      return evaluateQuestions({ set: asked.what, dataDir, model, corpus: asked.corpus, keep: asked.keep });
    case "crops":
      return runCrops({ folder: asked.folder, model, keep: asked.keep });
    case "folder":
      return evaluateFolder({ model, folder: asked.folder });
    case "pictures":
      return runPictures(asked.folder === undefined ? {} : { folder: asked.folder });
    case "scans":
      return asked.folder === undefined
        ? runScans({ dataDir, model, sets: asked.sets })
        : runScansOfFolder({ model, folder: asked.folder, pages: scannedPages });
  }
}

/** Returns the message of a failure that the user can fix: wrong arguments, missing files, unusable packs and data folders. */
function mistakeIn(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  if (["WrongUse", "PackError", "DomainError"].includes(cause.name)) return cause.message;
  if (!("code" in cause) || !("path" in cause)) return undefined;
  const [code, path] = [cause.code, String(cause.path)];
  if (code === "ENOENT") return `there is no ${path}`;
  return code === "EACCES" || code === "ENOTDIR" || code === "EEXIST" ? `${path} cannot be used (${code})` : undefined;
}
