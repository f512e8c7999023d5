import type { Dataset, Drs } from "@drs/client";
import { nearestName } from "@drs/server/settings";
import { CliError, isDrsError } from "../failures.ts";
import { count, formatTime } from "../output/amounts.ts";
import { printable } from "../output/printable.ts";

/** The parts of a document that are shown with its pages. */
export interface Document {
  readonly fileName: string;
  /** Undefined if not known. */
  readonly itemCount: number | undefined;
}

/** Returns the name of a dataset's file, or the dataset's id if the key may not read it or it is gone. */
export async function documentName(drs: Drs, datasetId: string, signal: AbortSignal): Promise<string> {
  return (await documentOf(drs, datasetId, signal)).fileName;
}

/**
 * Returns the name and page count of a dataset's document; the name is the dataset's id if the key may not read it or
 * it is gone.
 */
export async function documentOf(drs: Drs, datasetId: string, signal: AbortSignal): Promise<Document> {
  try {
    return await drs.datasets.get(datasetId, { signal });
  } catch (cause) {
    // A key that may only search cannot read datasets, and a dataset can be deleted while its pages are being returned.
    if (isDrsError(cause) && (cause.code === "permission_denied" || cause.code === "not_found"))
      return { fileName: datasetId, itemCount: undefined };
    throw cause;
  }
}

type Named = Pick<Dataset, "id" | "fileName" | "itemCount" | "createdAt">;

/** Maximum number of documents whose names are read, newest first: a hundred requests. */
const maxNamesRead = 10_000;
/** Maximum number of candidates that an error lists. */
const maxCandidates = 10;

/** Returns the id of the document that a command-line word refers to: the word is an id or the name of one document. */
export async function documentId(drs: Drs, word: string, signal: AbortSignal): Promise<string> {
  const [id = word] = await documentIds(drs, [word], signal);
  return id;
}

/**
 * Does the same for several words, and reads the list of documents at most once. Throws an error that says what to use
 * instead.
 */
export async function documentIds(drs: Drs, words: readonly string[], signal: AbortSignal): Promise<string[]> {
  if (words.every(isId)) return [...words];
  const documents = await Array.fromAsync(drs.datasets.list({ limit: maxNamesRead }, { signal }));
  return words.map((word) => (isId(word) ? word : soleMatch(word, documents).id));
}

function isId(word: string): boolean {
  return /^ds_[0-9a-z]+$/i.test(word);
}

/** Returns the one document with that name. Throws if there is none or more than one. */
export function soleMatch<Document extends Named>(word: string, documents: readonly Document[]): Document {
  const found = matchesOf(word, documents);
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  const name = printable(word);
  if (first === undefined) {
    const among = documents.length < maxNamesRead ? "" : ` among the newest ${maxNamesRead}`;
    const nearest = nearestDocument(word, documents);
    throw new CliError(`no document${among} is called ${name}`, {
      next: `${nearest === undefined ? "" : `did you mean ${printable(nearest)}? `}drs datasets list shows names and ids`,
    });
  }
  const listed = found
    .slice(0, maxCandidates)
    .map(
      ({ id, fileName, itemCount, createdAt }) =>
        `  ${id}  ${printable(fileName)}, ${count(itemCount, "page")}, uploaded ${formatTime(createdAt)}`,
    );
  const more = found.length > listed.length ? [`  and ${found.length - listed.length} more`] : [];
  throw new CliError([`${name} is the name of ${found.length} documents`, ...listed, ...more].join("\n"), {
    next: "name one by its id",
  });
}

/** Matches the whole name; if none matches, ignores case or the extension. */
function matchesOf<Document extends Named>(word: string, documents: readonly Document[]): readonly Document[] {
  const exact = documents.filter(({ fileName }) => fileName === word);
  if (exact.length > 0) return exact;
  const wanted = word.toLowerCase();
  return documents.filter(({ fileName }) => {
    const name = fileName.toLowerCase();
    return name === wanted || withoutExtension(name) === wanted;
  });
}

/** Returns the most similar name, compared with and without extensions. */
function nearestDocument(word: string, documents: readonly Pick<Named, "fileName">[]): string | undefined {
  const names = documents.map(({ fileName }) => fileName);
  const whole = nearestName(word, names);
  if (whole !== undefined) return whole;
  const bare = nearestName(withoutExtension(word), names.map(withoutExtension));
  return names.find((name) => withoutExtension(name) === bare);
}

const withoutExtension = (name: string): string => name.replace(/\.[^.]+$/, "");
