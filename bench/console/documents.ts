import { hasCorpus } from "../../test/service/corpus.ts";
import { makeTextPdf } from "../synthetic/documents.ts";
import { createRandom } from "../measuring/random.ts";
import { pdfOf, type Service, succeed } from "../service/service.ts";
import { createWords } from "../synthetic/words.ts";

/** Pages of the manual of GNU Octave, the first document. */
const firstPages = 1_158;
/** Synthetic documents besides it. */
const otherDocuments = 3;
const wordsPerQuestion = [2, 3, 5, 8];
const madeQuestions = 12;

/** Questions about the manual of GNU Octave. */
const octaveQuestions = [
  "how do I plot a surface",
  "solve a system of linear equations",
  "read a file line by line",
  "interpolate missing data",
  "matrix decomposition",
  "axis labels of a graph",
  "call a function with optional arguments",
  "sparse matrix reordering",
  "numerical integration of a function",
  "debugging with breakpoints",
  "image processing colour maps",
  "date and time strings",
];

export interface Stock {
  /** The id of the largest document, which has 1,158 pages if at least that many are wanted. */
  readonly firstId: string;
  readonly firstName: string;
  readonly pages: number;
  /** Questions about real and about synthetic pages, in turn. */
  readonly questions: readonly string[];
}

/**
 * Uploads and vectorizes `wanted` pages: the manual of GNU Octave if this machine has it, else a synthetic one, and more
 * synthetic documents. If fewer pages are wanted than the manual has, all are in one document.
 */
export async function addStock({ drs }: Service, wanted: number, progress: (text: string) => void): Promise<Stock> {
  const random = createRandom(11);
  const words = createWords(random);
  const isReal = hasCorpus && wanted >= firstPages;
  const first = isReal ? pdfOf("octave") : makeTextPdf(words, random, Math.min(firstPages, wanted));
  const firstName = isReal ? "octave.pdf" : "made-1.pdf";
  const left = Math.max(0, wanted - firstPages);
  const made = Array.from({ length: otherDocuments }, (_, index) =>
    Math.floor((left + index) / otherDocuments),
  ).flatMap((pages) => (pages === 0 ? [] : [makeTextPdf(words, random, pages)]));
  const jobs = [await drs.datasets.upload(first, { fileName: firstName, vectorize: true })];
  for (const [index, pdf] of made.entries()) {
    jobs.push(await drs.datasets.upload(pdf, { fileName: `made-${index + 2}.pdf`, vectorize: true }));
  }
  let pages = 0;
  for (const job of jobs) {
    await succeed(drs, job);
    pages += (await drs.datasets.get(job.datasetId)).itemCount;
    progress(`${pages} pages are vectorized`);
  }
  const ofMade = Array.from({ length: madeQuestions }, (_, index) =>
    words.question(wordsPerQuestion[index % wordsPerQuestion.length] ?? 3).join(" "),
  );
  const questions = isReal ? octaveQuestions.flatMap((real, index) => [real, ofMade[index] ?? real]) : ofMade;
  return { firstId: jobs[0]?.datasetId ?? "", firstName, pages, questions };
}
