import { mkdtemp, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Bench, Benchmark } from "../benchmark.ts";
import { type Cost, missingTools, sumOf, timeCommand } from "../measuring/command.ts";
import { hasProcfs, procfsReason } from "../measuring/processes.ts";
import { median } from "../measuring/statistics.ts";
import { folderBytes, missingCorpus, pdfOf, type Service, succeed, warmUp, withService } from "../service/service.ts";

/** A long manual, a paper, and a book of pictures. */
const documents = ["octave", "tracemonkey", "mercatormap"] as const;
/** In each round drs and then the peers do their work. */
const rounds = 2;

export const pages: Benchmark = {
  name: "pages",
  title: "extract, on demand and with eager renditions, against pdftoppm + qpdf + pdftotext",
  async run(bench) {
    const missing = missingCorpus ?? (hasProcfs ? missingTools("bash", "pdftoppm", "qpdf", "pdftotext") : procfsReason);
    if (missing !== undefined) return bench.report.skip("pages", missing);
    const { folder } = bench;
    await withService({ folder }, (onDemand) =>
      withService({ folder, flags: ["--renditions", "eager"] }, async (eager) => {
        for (const document of documents) await compare(bench, document, { onDemand, eager });
      }),
    );
  },
};

interface Extract extends Cost {
  readonly pages: number;
  /** Bytes that the data folder has grown by. */
  readonly storedBytes: number;
}

async function compare(
  { folder, report }: Bench,
  document: (typeof documents)[number],
  services: { onDemand: Service; eager: Service },
): Promise<void> {
  const file = pdfOf(document);
  const seen: { onDemand: Extract[]; eager: Extract[]; peers: Cost[] } = { onDemand: [], eager: [], peers: [] };
  for (let round = 1; round <= rounds; round++) {
    report.progress(`${document}, round ${round} of ${rounds}`);
    seen.onDemand.push(await extract(services.onDemand, file));
    seen.eager.push(await extract(services.eager, file));
    seen.peers.push(await runPeers(folder, file));
  }
  const pageCount = seen.onDemand[0]?.pages ?? 0;
  const peers = medianCost(seen.peers);
  const modes = { "on demand": medianCost(seen.onDemand), eager: medianCost(seen.eager) };
  report.table(
    `${document}, ${pageCount} pages, ${rounds} rounds, medians; ratios are drs against the peers`,
    Object.entries(modes).map(([renditions, cost]) => ({
      renditions,
      "drs CPU ms/page": cost.cpuMs / pageCount,
      "peers CPU ms/page": peers.cpuMs / pageCount,
      "CPU ratio": cost.cpuMs / peers.cpuMs,
      "drs wall s": cost.wallMs / 1000,
      "peers wall s": peers.wallMs / 1000,
      "wall ratio": cost.wallMs / peers.wallMs,
    })),
  );
  if (document !== "octave") return;
  report.bar("octave: end of upload to SUCCESS", modes["on demand"].wallMs / 1000, 8, "s");
  report.bar("octave: CPU of extract", modes["on demand"].cpuMs / peers.cpuMs, 0.3, "× peers");
  const stored = median(seen.onDemand.map(({ storedBytes }) => storedBytes));
  report.bar("octave: data folder after extract", stored / (await stat(file)).size, 3, "× the file");
}

/**
 * Uploads and extracts a file. CPU time is measured from the first byte of the upload, and wall time from its end, as the client
 * sees it. Both end when the job reports SUCCESS.
 */
async function extract(service: Service, file: string): Promise<Extract> {
  await warmUp(service);
  const { drs, dataDir } = service;
  const before = { bytes: await folderBytes(dataDir), cpuMs: service.cpuMs() };
  const job = await drs.datasets.upload(file);
  const uploadedAt = performance.now();
  await succeed(drs, job);
  const cost = { wallMs: performance.now() - uploadedAt, cpuMs: service.cpuMs() - before.cpuMs };
  const { itemCount } = await drs.datasets.get(job.datasetId);
  const storedBytes = (await folderBytes(dataDir)) - before.bytes;
  await drs.datasets.delete(job.datasetId);
  return { ...cost, pages: itemCount, storedBytes };
}

/** Does the same with the usual programs, one after another: all pictures, all one-page PDFs, the words. */
async function runPeers(folder: string, file: string): Promise<Cost> {
  const out = await mkdtemp(join(folder, "peers-"));
  // qpdf exits with 3 if it has split a document with warnings.
  const costs = [
    await timeCommand(["pdftoppm", "-jpeg", "-r", "150", file, join(out, "page")]),
    await timeCommand(["qpdf", "--split-pages", file, join(out, "page.pdf")], { succeeds: [0, 3] }),
    await timeCommand(["pdftotext", file, join(out, "words.txt")]),
  ];
  await rm(out, { recursive: true });
  return sumOf(costs);
}

function medianCost(costs: readonly Cost[]): Cost {
  return {
    wallMs: median(costs.map(({ wallMs }) => wallMs)),
    cpuMs: median(costs.map((cost) => cost.cpuMs)),
  };
}
