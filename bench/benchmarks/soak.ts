import { setTimeout as sleep } from "node:timers/promises";
import type { Benchmark } from "../benchmark.ts";
import { createRandom } from "../measuring/random.ts";
import { cpuMs, hasProcfs, peakRssMb, procfsReason, rssMb } from "../measuring/processes.ts";
import { median } from "../measuring/statistics.ts";
import { type Service, succeed, withService } from "../service/service.ts";
import { makeTextPdf } from "../synthetic/documents.ts";
import { createWords } from "../synthetic/words.ts";

const threads = 2;
const defaultPages = 20_000;
const pagesPerDocument = 500;
const lookMs = 200;
/** Longer than idle threads live (60 s), and than a delayed round of maintenance. */
const restMs = 90_000;

/** The memory of the worker while it vectorizes one document. */
interface Sample {
  readonly pages: number;
  readonly seconds: number;
  readonly cpuMsPerPage: number;
  /** Median in MB during the work. */
  readonly medianMb: number;
  readonly peakMb: number;
}

export const soak: Benchmark = {
  name: "soak",
  title: `memory of the worker over many vectorized pages, ${threads} threads`,
  async run({ folder, report, pages: wished = defaultPages }) {
    if (!hasProcfs) return report.skip("soak", procfsReason);
    const documents = Math.max(10, Math.round(wished / pagesPerDocument));
    await withService({ folder, flags: ["--workers", String(threads)] }, async (service) => {
      const words = createWords(createRandom(1));
      const samples: Sample[] = [];
      for (let document = 1; document <= documents; document += 1) {
        const pdf = makeTextPdf(words, createRandom(document), pagesPerDocument);
        const sample = await vectorize(service, pdf, document * pagesPerDocument);
        samples.push(sample);
        report.progress(
          `${sample.pages} pages: ${sample.medianMb.toFixed(0)} MB, ${sample.cpuMsPerPage.toFixed(1)} CPU ms/page`,
        );
      }
      const tenth = samples[Math.round(samples.length / 10) - 1];
      const last = samples.at(-1);
      if (tenth === undefined || last === undefined) throw new Error("nothing was vectorized");
      await sleep(restMs);
      const restMb = rssMb(service.workerPid);
      report.table("worker's RSS by pages", every(samples, samples.length / 10).map(rowOf));
      report.table(`after ${restMs / 1000} s of rest`, [
        { "worker RSS MB": restMb, "worker RSS MB at most, ever": peakRssMb(service.workerPid) },
      ]);
      report.bar(`${last.pages} pages / ${tenth.pages} pages`, last.medianMb / tenth.medianMb, 1.15, "×");
      report.bar(`after ${last.pages} pages`, last.medianMb / 1024, 1, "GB");
      report.bar(`at rest / after ${tenth.pages} pages`, restMb / tenth.medianMb, 1, "×");
    });
  },
};

async function vectorize({ drs, workerPid }: Service, pdf: Buffer<ArrayBuffer>, pages: number): Promise<Sample> {
  const since = performance.now();
  const cpuBefore = cpuMs(workerPid);
  const looks: number[] = [];
  const timer = setInterval(() => looks.push(rssMb(workerPid)), lookMs);
  try {
    await succeed(drs, await drs.datasets.upload(pdf, { fileName: `soak-${pages}.pdf`, vectorize: true }));
  } finally {
    clearInterval(timer);
  }
  looks.push(rssMb(workerPid));
  return {
    pages,
    seconds: (performance.now() - since) / 1000,
    cpuMsPerPage: (cpuMs(workerPid) - cpuBefore) / pagesPerDocument,
    medianMb: median(looks),
    peakMb: Math.max(...looks),
  };
}

/** Returns every `step`th sample, the last one included. */
function every(samples: readonly Sample[], step: number): readonly Sample[] {
  return samples.filter((_, index) => Math.floor((index + 1) / step) > Math.floor(index / step));
}

function rowOf({ pages, seconds, cpuMsPerPage, medianMb, peakMb }: Sample) {
  return {
    pages,
    "worker RSS MB, median": medianMb,
    "at most": peakMb,
    "worker CPU ms/page": cpuMsPerPage,
    "wall s": seconds,
  };
}
