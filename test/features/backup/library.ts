import { setTimeout as sleep } from "node:timers/promises";
import type { Drs } from "@drs/client";
import { makePdf } from "../../fixtures/pdf.ts";

/** A word for a number, which no stemmer changes and no other number has. */
export const wordOf = (at: number): string =>
  `chapter${Array.from(String(at), (digit) => "bcdfghjklm"[Number(digit)]).join("")}zq`;

export const pagesPerDocument = 50;

/** A document whose pages are about `first`, `first + 1` … */
export const documentFrom = (first: number, pages = pagesPerDocument): Uint8Array =>
  makePdf({
    pages: Array.from({ length: pages }, (_, index) => ({
      text: `On ${wordOf(first + index)}.\nA harbour with ${(first + index) % 7} boats.`,
    })),
  });

/** Uploads and vectorizes so many pages; the datasets, in their order. */
export async function fill(drs: Drs, pages: number): Promise<readonly string[]> {
  const datasets: string[] = [];
  for (let first = 0; first < pages; first += pagesPerDocument) {
    const options = { fileName: `${first}.pdf`, vectorize: true };
    const job = await drs.datasets.upload(documentFrom(first), options);
    datasets.push(job.datasetId);
    // A few documents ahead, so that the workers never wait.
    const before = datasets.length % 4 === 0 || first + pagesPerDocument >= pages;
    if (before) await drs.jobs.wait(job.id);
  }
  for await (const job of drs.jobs.list({})) {
    const { status } = await drs.jobs.wait(job.id);
    if (status !== "SUCCESS") throw new Error(`a document of the library ended as ${status}`);
  }
  return datasets;
}

export interface Load {
  /** Ends it; what was done meanwhile. Throws what a call failed with. */
  stop(): Promise<{ readonly uploads: number; readonly deletions: number; readonly searches: number }>;
}

/** Uploads, deletes and searches until it is stopped. */
export function startLoad(drs: Drs): Load {
  const done = { uploads: 0, deletions: 0, searches: 0 };
  const stopping = new AbortController();
  async function write(): Promise<void> {
    const made: string[] = [];
    for (let at = 900_000; !stopping.signal.aborted; at += 3) {
      const upload = await drs.datasets.upload(documentFrom(at, 3), { fileName: "load.pdf", vectorize: at % 2 === 0 });
      made.push(upload.datasetId);
      done.uploads += 1;
      // The workers keep up, so that a restored server has few jobs to go on with.
      await sleep(200);
      const [oldest] = made;
      if (made.length < 4 || oldest === undefined) continue;
      await drs.datasets.delete(oldest);
      made.shift();
      done.deletions += 1;
    }
  }
  async function search(): Promise<void> {
    for (; !stopping.signal.aborted; done.searches += 1) {
      await drs.search(`harbour ${wordOf(done.searches)}`);
      await sleep(50);
    }
  }
  const running = Promise.all([write(), write(), search()]);
  running.catch(() => stopping.abort());
  return {
    async stop() {
      stopping.abort();
      await running;
      return done;
    },
  };
}

/** The pages found for a hundred questions about the first so many pages, in all of the datasets. */
export const askHundred = (drs: Drs, pages: number, library: readonly string[]): Promise<readonly string[][]> =>
  ask(drs, pages, () => library);

/** The same, each in the document that has its answer alone. */
export const askHundredWithin = (drs: Drs, pages: number, library: readonly string[]): Promise<readonly string[][]> =>
  ask(drs, pages, (page) => library.slice(Math.floor(page / pagesPerDocument)).slice(0, 1));

async function ask(
  drs: Drs,
  pages: number,
  datasetsOf: (page: number) => readonly string[],
): Promise<readonly string[][]> {
  const answers: string[][] = [];
  for (let at = 0; at < 100; at++) {
    const page = Math.floor((at * pages) / 100);
    const found = await drs.search(`what is said on ${wordOf(page)}`, { limit: 5, datasetIds: datasetsOf(page) });
    answers.push(found.map(({ datasetId, col }) => `${datasetId}/${col}`));
  }
  return answers;
}
