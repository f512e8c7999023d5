import { createHash } from "node:crypto";
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { rolldown } from "rolldown";
// oxlint-disable no-restricted-imports -- this runs where the console is built, and no part of it is in the console
import { type Sample, samples } from "../cli/samples/samples.ts";
import { drawSample } from "../cli/samples/write-sample.ts";
// oxlint-enable no-restricted-imports

/** A file of the console as it is served, under `/console/` and its name; the page itself is `index.html`. */
interface BuiltFile {
  /** Contains a hash of the content, except for `index.html`. */
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly gzip: Uint8Array;
  readonly brotli: Uint8Array;
}

const folder = import.meta.dirname;
/** The style sheet with the tokens that all others use. */
const firstStyles = "design/tokens.css";

/**
 * Bundles the console: a script chunk for the code that every view needs, one for each area, one style sheet, and the sample
 * documents, for people who have no document to try.
 */
export async function buildConsole(): Promise<readonly BuiltFile[]> {
  const documents = await Promise.all(samples.map(sampleDocument));
  const named = documents.map(({ name, fileName }) => ({ name, fileName }));
  const [scripts, styles] = await Promise.all([bundleScripts({ SAMPLES: JSON.stringify(named) }), readStyles()]);
  const stylesName = `console-${hashOf(styles)}.css`;
  const preloads = scripts.imported.map((name) => `<link rel="modulepreload" href="console/${name}" />`).join("\n    ");
  const template = await readFile(join(folder, "index.html"), "utf8");
  const page = template.replace("STYLES", stylesName).replace("SCRIPT", scripts.entry).replace("PRELOADS", preloads);
  const files = [...scripts.chunks, { name: stylesName, code: styles }, { name: "index.html", code: page }];
  return Promise.all([
    ...files.map(({ name, code }) => compressed(name, Buffer.from(code))),
    ...documents.map(({ name, bytes }) => compressed(name, bytes)),
  ]);
}

interface SampleDocument {
  readonly name: string;
  /** The name that it is uploaded with. */
  readonly fileName: string;
  readonly bytes: Uint8Array;
}

async function sampleDocument(sample: Sample): Promise<SampleDocument> {
  const bytes = await drawSample(sample);
  const { fileName } = sample;
  return { name: `${fileName.replace(/\.pdf$/, "")}-${hashOf(bytes)}.pdf`, fileName, bytes };
}

interface Chunk {
  readonly name: string;
  readonly code: string;
}

interface Scripts {
  readonly entry: string;
  /** Other chunks that the entry needs before the first view. */
  readonly imported: readonly string[];
  readonly chunks: readonly Chunk[];
}

/** `constants` maps names to the expressions that replace them. */
async function bundleScripts(constants: Readonly<Record<string, string>>): Promise<Scripts> {
  const bundle = await rolldown({
    input: join(folder, "main.tsx"),
    platform: "browser",
    transform: { define: { "process.env.NODE_ENV": '"production"', ...constants } },
    onLog(_, { code, message }) {
      // "use client" has no meaning without rendering on a server.
      if (code === "MODULE_LEVEL_DIRECTIVE") return;
      throw new Error(`the console cannot be bundled: ${message}`);
    },
  });
  try {
    const { output } = await bundle.generate({
      format: "esm",
      minify: true,
      entryFileNames: "[name]-[hash].js",
      chunkFileNames: "[name]-[hash].js",
    });
    const chunks = output.flatMap((file) => (file.type === "chunk" ? [file] : []));
    const entry = chunks.find(({ isEntry }) => isEntry);
    if (entry === undefined) throw new Error("the console was bundled without an entry");
    const named = chunks.map(({ fileName, code }) => ({ name: fileName, code }));
    return { entry: entry.fileName, imported: entry.imports, chunks: named };
  } finally {
    await bundle.close();
  }
}

async function readStyles(): Promise<string> {
  const names = globSync("**/*.css", { cwd: folder, exclude: ["node_modules/**"] }).toSorted();
  const ordered = [firstStyles, ...names.filter((name) => name !== firstStyles)];
  const texts = await Promise.all(ordered.map((name) => readFile(join(folder, name), "utf8")));
  return texts.join("\n");
}

const hashOf = (text: string | Uint8Array): string => createHash("sha256").update(text).digest("base64url").slice(0, 8);

async function compressed(name: string, bytes: Uint8Array): Promise<BuiltFile> {
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
  const [gzipped, brotli] = await Promise.all([
    promisify(gzip)(bytes, { level: 9 }),
    promisify(brotliCompress)(bytes, quality),
  ]);
  return { name, bytes, gzip: gzipped, brotli };
}
