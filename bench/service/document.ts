import { corpusFile, corpusReason, hasCorpus } from "../../test/service/corpus.ts";
import { makePdf } from "../../test/fixtures/pdf.ts";
import type { Service } from "./service.ts";
import { succeed } from "./service.ts";

/** Real documents are not part of the repository. */
export const missingCorpus = hasCorpus ? undefined : corpusReason.replace(/^ \(skipped: |\)$/g, "");

export const pdfOf = (name: string): string => corpusFile(`pdf/${name}.pdf`);

/** Enough pages to give work to every thread. */
const warmUpPages = 64;

/** Extracts a small document, so that the worker's threads are running when the measurement begins. */
export async function warmUp({ drs }: Service): Promise<void> {
  const pages = Array.from({ length: warmUpPages }, (_, index) => ({ text: `Page ${index + 1}` }));
  const job = await drs.datasets.upload(makePdf({ pages }), { fileName: "warm-up.pdf" });
  await succeed(drs, job);
  await drs.datasets.delete(job.datasetId);
}
