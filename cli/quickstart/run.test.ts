import { access, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createOutput } from "../output/output.ts";
import { fakeService, goodKey } from "../testing/fake-service.ts";
import type { CommandIo } from "../command-io.ts";
import { type Answer, type Quickstart, runQuickstart } from "./run.ts";
import { sampleQuestions, samples } from "../samples/samples.ts";
import { writeSample } from "../samples/write-sample.ts";

interface Ran {
  readonly answers: readonly Answer[];
  readonly folder: string;
  readonly closed: boolean;
  readonly log: readonly string[];
}

async function quickstart({
  onAnswered,
  ...given
}: Pick<Quickstart, "files" | "questions"> & {
  readonly onAnswered?: (isUp: () => boolean) => Promise<void>;
}): Promise<Ran> {
  const io: CommandIo = {
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: {},
    signal: new AbortController().signal,
  };
  const service = await fakeService();
  let folder = "";
  let closed = false;
  const answers = await runQuickstart({
    ...given,
    ...(onAnswered && { onAnswered: () => onAnswered(() => !closed) }),
    io,
    output: createOutput(io, true),
    onAnswer: () => undefined,
    async startServer(data) {
      folder = dirname(data);
      await access(folder);
      const close = async (): Promise<void> => {
        closed = true;
        await service.close();
      };
      return { url: service.url, credentials: { apiKey: goodKey }, close };
    },
  });
  return { answers, folder, closed, log: service.log };
}

test("asks about the samples, keeps the pictures, and leaves nothing else behind", async () => {
  const { answers, folder, closed, log } = await quickstart({ files: [], questions: [] });
  expect(log.filter((entry) => entry.startsWith("upload")).toSorted()).toEqual(
    samples.map(({ fileName }) => `upload ${fileName} vectorize`).toSorted(),
  );
  expect(answers.map(({ question }) => question)).toEqual(sampleQuestions.map(({ question }) => question));
  // The fake service always finds page 7, which is never right.
  expect(answers.map(({ right }) => right)).toEqual([false, false, false]);
  for (const { picture = "" } of answers) {
    expect(await readFile(picture, "utf8")).toBe("page 7");
  }
  await rm(dirname(answers[0]?.picture ?? ""), { recursive: true });
  expect(closed).toBe(true);
  await expect(access(folder)).rejects.toThrow("ENOENT");
});

test("asks the user's questions about the user's documents", async () => {
  const mine = await mkdtemp(join(tmpdir(), "drs-mine-"));
  const path = join(mine, "mine.pdf");
  await writeFile(path, "%PDF-");
  const { answers, log } = await quickstart({ files: [path], questions: ["what", "why"] });
  expect(log[0]).toBe("upload mine.pdf vectorize");
  expect(answers).toMatchObject([
    { question: "what", right: undefined, pages: [{ rank: 1, fileName: "mine.pdf" }, {}, {}] },
    { question: "why" },
  ]);
  await access(path);
  await rm(mine, { recursive: true });
});

test("stays up after the answers for as long as it is asked to", async () => {
  const seen: boolean[] = [];
  const { closed } = await quickstart({
    files: [],
    questions: [],
    async onAnswered(isUp) {
      await sleep(50);
      seen.push(isUp());
    },
  });
  expect(seen).toEqual([true]);
  expect(closed).toBe(true);
});

test("a document that fails is an error that leaves nothing behind", async () => {
  const mine = await mkdtemp(join(tmpdir(), "drs-mine-"));
  const path = join(mine, "broken.pdf");
  await writeFile(path, "%PDF-");
  await expect(quickstart({ files: [path], questions: ["what"] })).rejects.toThrow("the document has no pages");
  await rm(mine, { recursive: true });
});

test("the samples are documents with the pages that the questions expect", async () => {
  const folder = await mkdtemp(join(tmpdir(), "drs-samples-"));
  const { getDocument } = await import("pdfjs-dist/legacy/build/pdf.mjs");
  for (const sample of samples) {
    const data = new Uint8Array(await readFile(await writeSample(sample, folder)));
    const loading = getDocument({ data, verbosity: 0 });
    const document = await loading.promise;
    expect(document.numPages).toBe(sample.pages.length);
    for (const [index, { heading }] of sample.pages.entries()) {
      const { items } = await (await document.getPage(index + 1)).getTextContent();
      const words = items.map((item) => ("str" in item ? item.str : "")).join(" ");
      expect(words).toContain(heading);
      // The text fits: the page's number is on the page itself.
      expect(words).toContain(`Page ${index + 1} of ${sample.pages.length}`);
    }
    await loading.destroy();
  }
  for (const { fileName, page } of sampleQuestions) {
    expect(samples.find((sample) => sample.fileName === fileName)?.pages[page - 1]).toBeDefined();
  }
  await rm(folder, { recursive: true });
});
