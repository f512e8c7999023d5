import type { Benchmark } from "../benchmark.ts";
import { makeTextPdf } from "../synthetic/documents.ts";
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom } from "../measuring/random.ts";
import type { Row } from "../measuring/report.ts";
import { median, percentile } from "../measuring/statistics.ts";
import { ask, askWhile } from "../search/rest.ts";
import { succeed, withService } from "../service/service.ts";
import { createWords } from "../synthetic/words.ts";

const defaultPages = 1_000;
const rounds = 3;
/** Questions before each document is vectorized, and after the last one. */
const questionsAtRest = 200;
/** From two words to a sentence. */
const wordsPerQuestion = [2, 4, 8, 12];
/** Milliseconds after which maintenance of the index is done and all threads are idle. */
const restMs = 15_000;

export const searchBeside: Benchmark = {
  name: "search-beside",
  title: `questions over REST at rest and while a document is vectorized, by turns, ${rounds} rounds`,
  async run({ folder, report, pages = defaultPages }) {
    const random = createRandom(5);
    const words = createWords(random);
    const questions = Array.from({ length: 400 }, (_, index) =>
      words.question(wordsPerQuestion[index % wordsPerQuestion.length] ?? 4).join(" "),
    );
    const questionAt = (index: number): string => questions[index % questions.length] ?? "";
    await withService({ folder }, async (service) => {
      const vectorize = async (name: string): Promise<string> => {
        const pdf = makeTextPdf(words, random, pages);
        const job = await service.drs.datasets.upload(pdf, { fileName: `${name}.pdf`, vectorize: true });
        await succeed(service.drs, job);
        return job.datasetId;
      };
      const askAtRest = async (): Promise<readonly number[]> => {
        await sleep(restMs);
        const times: number[] = [];
        for (let index = 0; index < questionsAtRest; index++) times.push(await ask(service, questionAt(index)));
        return times;
      };
      report.progress("a first document, in which to search");
      await vectorize("first");
      await askAtRest();

      const rows: Row[] = [];
      const all = { rest: new Array<number>(), beside: new Array<number>() };
      for (let round = 1; round <= rounds; round++) {
        report.progress(`round ${round}`);
        const rest = await askAtRest();
        const since = performance.now();
        const beside = await askWhile(service, questionAt, vectorize(`document-${round}`));
        const seconds = (performance.now() - since) / 1000;
        all.rest.push(...rest);
        all.beside.push(...beside);
        rows.push({
          round,
          "at rest p50 ms": percentile(rest, 0.5),
          "its p99": percentile(rest, 0.99),
          "beside p50 ms": percentile(beside, 0.5),
          "its p99 ms": percentile(beside, 0.99),
          "beside / at rest": percentile(beside, 0.5) / percentile(rest, 0.5),
          asked: beside.length,
          "pages a second": pages / seconds,
          load: loadavg()[0] ?? 0,
        });
      }
      report.table(`${pages} pages a document, vectorized while one question is asked after another`, rows);
      report.bar("p50 beside vectorizing / at rest", median(all.beside) / median(all.rest), 2, "×");
    });
  },
};
