import { join } from "node:path";
import type { Bench, Benchmark } from "../benchmark.ts";
import { missingTools, peakMemoryOf } from "../measuring/command.ts";
import { hasProcfs, peakRssMb, procfsReason } from "../measuring/processes.ts";
import { missingCorpus, pdfOf, type Service, succeed, withService } from "../service/service.ts";

/** The documents with the most pages and the largest pictures. */
const documents = ["pgfmanual", "mercatormap"] as const;
const threads = 2;
/** Pages that the peer draws. A few are enough: its memory does not grow with their number. */
const peerPages = 40;

export const memory: Benchmark = {
  name: "memory",
  title: `memory of the worker while it vectorizes the largest documents with ${threads} threads`,
  async run(bench) {
    const missing = missingCorpus ?? (hasProcfs ? missingTools("pdftoppm") : procfsReason);
    if (missing !== undefined) return bench.report.skip("memory", missing);
    const { folder, report } = bench;
    const rows = [];
    for (const document of documents) {
      report.progress(document);
      const flags = ["--workers", String(threads)];
      // One service for each, because a peak covers the whole life of a process.
      const { pages, seconds, workerMb, apiMb } = await withService({ folder, flags }, (service) =>
        vectorize(service, pdfOf(document)),
      );
      const peerMb = await peakOfPeer(bench, pdfOf(document));
      rows.push({
        document,
        pages,
        "vectorize s": seconds,
        "pages/s": pages / seconds,
        "worker RSS MB at most": workerMb,
        "API RSS MB at most": apiMb,
        "pdftoppm RSS MB at most": peerMb,
        "worker / pdftoppm": workerMb / peerMb,
      });
      report.bar(`worker's memory, ${document}`, workerMb / 1024, 1.5, "GB");
    }
    report.table(`vectorize with ${threads} threads; pdftoppm -jpeg -r 150 draws ${peerPages} pages`, rows);
  },
};

async function vectorize(
  { drs, apiPid, workerPid }: Service,
  file: string,
): Promise<{ pages: number; seconds: number; workerMb: number; apiMb: number }> {
  const job = await drs.datasets.upload(file, { vectorize: true });
  const since = performance.now();
  await succeed(drs, job);
  const seconds = (performance.now() - since) / 1000;
  const { itemCount } = await drs.datasets.get(job.datasetId);
  return { pages: itemCount, seconds, workerMb: peakRssMb(workerPid), apiMb: peakRssMb(apiPid) };
}

function peakOfPeer({ folder }: Bench, file: string): Promise<number> {
  return peakMemoryOf(["pdftoppm", "-jpeg", "-r", "150", "-l", String(peerPages), file, join(folder, "memory")]);
}
