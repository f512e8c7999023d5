import { treeCpuMs } from "../measuring/processes.ts";
import { createRandom } from "../measuring/random.ts";
import { type RequestCounts, requestsSince } from "../service/s3-requests.ts";
import { type Service, succeed } from "../service/service.ts";
import { createWords } from "../synthetic/words.ts";
import { makeTextDocx, makeTextPdf } from "../synthetic/documents.ts";

/** The cost of a stage; CPU in milliseconds, of all processes of the service and of its database. */
export interface Stage {
  readonly name: string;
  /** The number of pages, views or searches, by which the other figures are divided. */
  readonly units: number;
  readonly serviceMs: number;
  readonly databaseMs: number;
  readonly requests: RequestCounts;
}

export interface Meters {
  /** CPU used so far. */
  databaseMs(): number;
  requests(): RequestCounts;
}

const viewed = 100;
const searches = 100;
const warmUpPages = 20;
const wordsPerQuestion = 4;

/** Measures the stages of documents in the service one after another, with nothing else running. */
export async function measureStages(
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
