import { mkdtemp, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { startPostgres, withoutPostgres } from "../../test/servers/postgres.ts";
import { hasS3Server, s3Reason, startS3Server } from "../../test/servers/s3.ts";
import type { Bench, Benchmark } from "../benchmark.ts";
import { hasProcfs, procfsReason, treeCpuMs } from "../measuring/processes.ts";
import type { Row } from "../measuring/report.ts";
import { meterDatabase } from "../service/database.ts";
import { folderBytes, type Service, succeed, withService } from "../service/service.ts";
import { countS3Requests, type RequestCounts, requestsSince } from "../service/s3-requests.ts";
import { createRandom } from "../measuring/random.ts";
import { createWords } from "../synthetic/words.ts";
import { makeTextDocx, makeTextPdf } from "../synthetic/documents.ts";

const defaultPages = 500;
/** Converts CPU milliseconds per page to CPU hours per million pages. */
const hoursPerMillion = 1e6 / 3_600_000;
const flags = ["--workers", "2"];

export const ingest: Benchmark = {
  name: "ingest",
  title: "what a page costs by stage: CPU, bytes of each kind, requests to S3, rows",
  async run(bench) {
    if (!hasProcfs) return bench.report.skip("ingest", procfsReason);
    await measureLocal(bench);
    if (withoutPostgres !== "") return bench.report.skip("ingest on shared stores", withoutPostgres.trim());
    if (!hasS3Server) return bench.report.skip("ingest on shared stores", s3Reason.trim());
    await measureShared(bench);
  },
};

async function measureLocal({ folder, report, pages = defaultPages }: Bench): Promise<void> {
  const dataDir = await mkdtemp(join(folder, "ingest-"));
  const meters: Meters = { databaseMs: () => 0, requests: () => new Map() };
  const stages = await withService({ folder, dataDir, flags }, (service) =>
    measureStages(service, meters, pages, report.progress),
  );
  report.table(`data folder: CPU by stage, ${pages} pages a document`, stages.map(cpuRow));
  const kinds = [...(await foldersOf(dataDir, "blobs")), ...(await foldersOf(dataDir, "vectors"))];
  const rows = await Promise.all(kinds.map(async ({ kind, path }) => ({ kind, MB: (await folderBytes(path)) / 1e6 })));
  rows.push({ kind: "metadata.sqlite", MB: (await stat(join(dataDir, "metadata.sqlite"))).size / 1e6 });
  report.table(
    `data folder: bytes of ${3 * pages + 40} pages, ${2 * pages + 20} of them embedded, 100 rendered, without maintenance`,
    rows,
  );
}

async function measureShared({ folder, report, pages = defaultPages }: Bench): Promise<void> {
  const database = await startPostgres(["fsync=on", "shared_buffers=256MB"]);
  const s3 = await startS3Server();
  const counter = await countS3Requests(s3.url, s3.bucket);
  const url = await database.createDatabase();
  const meter = await meterDatabase(url);
  try {
    const env = {
      ...s3.variables(counter.url),
      DRS_DATABASE_URL: url,
      DRS_BLOB_URL: `s3://${s3.bucket}/blobs`,
      DRS_VECTOR_URL: `s3://${s3.bucket}/vectors`,
    };
    const stages = await withService({ folder, flags, env }, (service) =>
      measureStages(service, { databaseMs: meter.cpuMs, requests: counter.counts }, pages, report.progress),
    );
    report.table(`PostgreSQL and S3: CPU by stage, ${pages} pages a document`, stages.map(cpuRow));
    report.table(
      `PostgreSQL and S3: requests to S3 by stage, of all its pages, views or searches`,
      requestRows(stages),
    );
    const sizes = await meter.sizes();
    report.table(
      `PostgreSQL: tables after ${3 * pages + 40} pages`,
      sizes.map(({ table, rows, bytes, indexBytes }): Row => ({
        table,
        rows,
        KB: bytes / 1e3,
        "of it indices": indexBytes / 1e3,
      })),
    );
  } finally {
    await meter.close();
    await counter.close();
    await s3.stop();
    await database.close();
  }
}

function cpuRow({ name, units, serviceMs, databaseMs }: Stage): Row {
  const each = (serviceMs + databaseMs) / units;
  return {
    stage: name,
    units,
    "service CPU ms each": serviceMs / units,
    "database CPU ms each": databaseMs / units,
    "CPU hours a million": each * hoursPerMillion,
  };
}

function requestRows(stages: readonly Stage[]): Row[] {
  return stages.flatMap(({ name, units, requests }) =>
    [...requests]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([kind, count]): Row => ({ stage: name, kind, count, each: count / units })),
  );
}

async function foldersOf(dataDir: string, folder: string): Promise<{ kind: string; path: string }[]> {
  const names = await readdir(join(dataDir, folder)).catch(() => []);
  return names.map((name) => ({ kind: `${folder}/${name}`, path: join(dataDir, folder, name) }));
}

/** The cost of a stage. CPU times are in milliseconds: of all processes of the service, and of its database. */
interface Stage {
  readonly name: string;
  /** The number of pages, views or searches, by which the other figures are divided. */
  readonly units: number;
  readonly serviceMs: number;
  readonly databaseMs: number;
  readonly requests: RequestCounts;
}

interface Meters {
  /** CPU used so far. */
  databaseMs(): number;
  requests(): RequestCounts;
}

const viewed = 100;
const searches = 100;
const warmUpPages = 20;
const wordsPerQuestion = 4;

/** Measures the stages of documents in the service one after another, with nothing else running. */
async function measureStages(
  service: Service,
  meters: Meters,
  pages: number,
  progress: (text: string) => void,
): Promise<readonly Stage[]> {
  const { drs } = service;
  const random = createRandom(11);
  const words = createWords(random);
  const stages: Stage[] = [];

  async function stage<Result>(name: string, units: number, work: () => Promise<Result>): Promise<Result> {
    progress(name);
    const before = { service: treeCpuMs(service.apiPid), database: meters.databaseMs(), requests: meters.requests() };
    const result = await work();
    stages.push({
      name,
      units,
      serviceMs: treeCpuMs(service.apiPid) - before.service,
      databaseMs: meters.databaseMs() - before.database,
      requests: requestsSince(before.requests, meters.requests()),
    });
    return result;
  }

  async function store(fileName: string, bytes: Buffer<ArrayBuffer>, options = {}): Promise<string> {
    const job = await drs.datasets.upload(bytes, { fileName, ...options });
    await succeed(drs, job);
    return job.datasetId;
  }
  const embed = async (id: string): Promise<void> => void (await succeed(drs, await drs.datasets.vectorize(id)));

  // The first job of each kind starts threads, the model and the converter.
  await store("first.pdf", makeTextPdf(words, random, warmUpPages), { vectorize: true });
  await store("first.docx", makeTextDocx(words, random, warmUpPages));
  await drs.search("first");

  const pdf = makeTextPdf(words, random, pages);
  const id = await stage("read: a PDF, upload to the end of its job", pages, () => store("text.pdf", pdf));
  await stage("embed: pages of 5 to 300 words", pages, () => embed(id));
  const sparse = await store("sparse.pdf", makeTextPdf(words, random, pages, { sparse: true }));
  await stage("embed: pages of one word", pages, () => embed(sparse));
  const docx = makeTextDocx(words, random, pages);
  await stage("convert and read: a DOCX, upload to the end of its job", pages, () => store("text.docx", docx));
  const links: string[] = [];
  for await (const item of drs.items.list(id, { row: "jpg" })) {
    if (links.length < viewed) links.push(item.share.url);
  }
  const view = async (): Promise<void> => {
    for (const link of links) await (await fetch(link)).bytes();
  };
  await stage("render: first view of a page", links.length, view);
  await stage("cached: second view of a page", links.length, view);
  await stage("search: a question in words", searches, async () => {
    // Results are vectors, so that no pictures are rendered ahead.
    for (let index = 0; index < searches; index++) {
      await drs.search(words.question(wordsPerQuestion).join(" "), { row: "embedding_image" });
    }
  });
  return stages;
}
