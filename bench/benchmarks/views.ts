import { join } from "node:path";
import type { Bench, Benchmark } from "../benchmark.ts";
import { type Cost, missingTools, timeCommand } from "../measuring/command.ts";
import { hasProcfs, peakRssMb, procfsReason, watchLargest } from "../measuring/processes.ts";
import { between, createRandom } from "../measuring/random.ts";
import { mean, percentile } from "../measuring/statistics.ts";
import { folderBytes, missingCorpus, pdfOf, type Service, succeed, withService } from "../service/service.ts";

const document = "octave";
const viewedPages = 100;
const requests = 5_000;
/** Users who view pages at the same time. */
const readers = 4;
const cacheMb = 20;
/** Seconds; longer than the benchmark takes. */
const linkSeconds = 24 * 3600;
const sampleMs = 200;

export const views: Benchmark = {
  name: "views",
  title: "first view of a page, the page after it, cached; a small cache under random requests",
  async run(bench) {
    const missing = missingCorpus ?? (hasProcfs ? missingTools("bash", "pdftoppm") : procfsReason);
    if (missing !== undefined) return bench.report.skip("views", missing);
    const peer = await withService({ folder: bench.folder }, (service) => viewPages(bench, service));
    const flags = ["--cache-bytes", `${cacheMb}MB`];
    await withService({ folder: bench.folder, flags }, (service) => viewAtRandom(bench, service, peer));
  },
};

interface Links {
  /** Links by page number, from 1. */
  readonly jpg: ReadonlyMap<number, string>;
  readonly pdf: ReadonlyMap<number, string>;
}

/** Returns the cost of a page for the peer. */
async function viewPages({ folder, report }: Bench, service: Service): Promise<Cost> {
  const { jpg } = await extractAndLink(service);
  const order = shuffled(jpg.size);
  // The next page is requested as well, so no two pages may be adjacent, and the last page is left out.
  const taken = new Set<number>();
  const chosen = order.filter((page) => {
    const free = page < jpg.size && ![page - 1, page, page + 1].some((near) => taken.has(near));
    if (free && taken.size < viewedPages + 1) taken.add(page);
    return taken.has(page);
  });
  const [coldPage = 1, ...viewed] = chosen;

  report.progress(`${viewed.length} pages`);
  const cold = await timeView(jpg, coldPage);
  const seen: Record<"first" | "next" | "cached", number[]> = { first: [], next: [], cached: [] };
  const peer: Cost[] = [];
  for (const page of viewed) {
    const range = ["-f", String(page), "-l", String(page)];
    peer.push(await timeCommand(["pdftoppm", "-jpeg", "-r", "150", ...range, pdfOf(document), join(folder, "view")]));
    seen.first.push(await timeView(jpg, page));
    seen.next.push(await timeView(jpg, page + 1));
    seen.cached.push(await timeView(jpg, page), await timeView(jpg, page + 1));
  }

  const peerWall = peer.map(({ wallMs }) => wallMs);
  const row = (view: string, times: readonly number[]) => ({
    view,
    "p50 ms": percentile(times, 0.5),
    "p99 ms": percentile(times, 0.99),
    "p50 / pdftoppm's": percentile(times, 0.5) / percentile(peerWall, 0.5),
  });
  report.table(`${document}: ${viewed.length} random pages as JPEG; pdftoppm -jpeg -r 150 runs as a process per page`, [
    row("the very first, in a fresh service", [cold]),
    row("first GET of a page", seen.first),
    row("the page after it", seen.next),
    row("cached", seen.cached),
    row("pdftoppm", peerWall),
  ]);
  report.bar("first GET of a page's picture, p50", percentile(seen.first, 0.5), 150, "ms");
  report.bar("the page after it, p50", percentile(seen.next, 0.5), 80, "ms");
  report.bar("cached, p50", percentile(seen.cached, 0.5), 10, "ms");
  return { wallMs: mean(peerWall), cpuMs: mean(peer.map(({ cpuMs }) => cpuMs)) };
}

/** Views pictures and one-page PDFs in turn, so many that the cache has to evict most of them. */
async function viewAtRandom({ report }: Bench, service: Service, peer: Cost): Promise<void> {
  const links = await extractAndLink(service);
  const cacheFolder = join(service.dataDir, "blobs", "renditions");
  const random = createRandom(5);
  let left = requests;
  let failed = 0;
  let firstFailure = "";
  let cacheBytes = 0;
  async function read(): Promise<void> {
    while (left > 0) {
      left -= 1;
      if (left % 1000 === 0) report.progress(`${requests - left} of ${requests} random requests`);
      const row = left % 2 === 0 ? links.jpg : links.pdf;
      await view(row, between(random, 1, row.size)).catch((cause: unknown) => {
        failed += 1;
        firstFailure ||= String(cause);
      });
    }
  }
  const watching = new AbortController();
  const looking = watchFolder(cacheFolder, watching.signal, (bytes) => (cacheBytes = Math.max(cacheBytes, bytes)));
  const apiRss = watchLargest(sampleMs, () => peakRssMb(service.apiPid));
  const workerRss = watchLargest(sampleMs, () => peakRssMb(service.workerPid));
  const before = service.cpuMs();
  const since = performance.now();
  await Promise.all(Array.from({ length: readers }, read));
  const wallMs = performance.now() - since;
  const cpuMs = (service.cpuMs() - before) / requests;
  watching.abort();
  await looking;

  report.table(
    `${document}: ${requests} random pages, JPEG and PDF by turns, ${readers} readers, cache of ${cacheMb} MB`,
    [
      {
        "requests/s": requests / (wallMs / 1000),
        failed,
        "cache MB at most": cacheBytes / 2 ** 20,
        "CPU ms/request": cpuMs,
        "CPU / pdftoppm's for a page": cpuMs / peer.cpuMs,
        "API RSS MB": apiRss.stop(),
        "worker RSS MB": workerRss.stop(),
      },
    ],
  );
  report.bar(`failed requests${firstFailure && `, such as: ${firstFailure}`}`, failed, 0, "");
  report.bar("cache folder at most", cacheBytes / 2 ** 20, cacheMb, "MB");
}

async function watchFolder(folder: string, signal: AbortSignal, look: (bytes: number) => void): Promise<void> {
  while (!signal.aborted) {
    look(await folderBytes(folder));
    await new Promise((resolve) => setTimeout(resolve, sampleMs));
  }
}

async function extractAndLink({ drs }: Service): Promise<Links> {
  const job = await drs.datasets.upload(pdfOf(document));
  await succeed(drs, job);
  const linksOf = async (row: "jpg" | "pdf"): Promise<ReadonlyMap<number, string>> => {
    const links = new Map<number, string>();
    for await (const item of drs.items.list(job.datasetId, { row, expiresInSeconds: linkSeconds })) {
      links.set(item.col, item.share.url);
    }
    return links;
  };
  return { jpg: await linksOf("jpg"), pdf: await linksOf("pdf") };
}

async function timeView(links: ReadonlyMap<number, string>, page: number): Promise<number> {
  const since = performance.now();
  await view(links, page);
  return performance.now() - since;
}

/** Reads a page to its last byte. Throws unless it is complete and of the right type. */
async function view(links: ReadonlyMap<number, string>, page: number): Promise<void> {
  const answer = await fetch(links.get(page) ?? "");
  const bytes = await answer.bytes();
  const isPage = (bytes[0] === 0xff && bytes[1] === 0xd8) || (bytes[0] === 0x25 && bytes[1] === 0x50);
  const isWhole = bytes.length === Number(answer.headers.get("content-length"));
  if (!answer.ok || !isPage || !isWhole) {
    throw new Error(`page ${page}: status ${answer.status}, ${bytes.length} bytes`);
  }
}

function shuffled(pageCount: number): number[] {
  const random = createRandom(4);
  return Array.from({ length: pageCount }, (_, index) => ({ page: index + 1, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ page }) => page);
}
