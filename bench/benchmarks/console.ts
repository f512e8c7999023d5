import { loadavg } from "node:os";
import { join } from "node:path";
import { missingChromium } from "../../test/service/chromium.ts";
import type { Bench, Benchmark } from "../benchmark.ts";
import { type AnswerTimes, timeAnswer } from "../console/answers.ts";
import { timeFirstView, withBrowser } from "../console/browser.ts";
import { addStock, type Stock } from "../console/documents.ts";
import { scrollThrough } from "../console/sheet.ts";
import { median, percentile } from "../measuring/statistics.ts";
import { type Service, withService } from "../service/service.ts";

const defaultPages = 3_000;
const firstViews = 5;
/** The time of a frame at 30 frames a second. */
const longestFrameMs = 33.3;
/** Pixels a second: about three windows a second, as when reading headings, and six, as when looking for a picture. */
const speeds = [3_000, 6_000];

export const consoleInBrowser: Benchmark = {
  name: "console",
  title: "the web console in Chromium: its first view, from a question to its pages, a contact sheet scrolled",
  async run(bench) {
    if (missingChromium !== undefined) return bench.report.skip("console", missingChromium);
    const { folder, report, pages = defaultPages } = bench;
    const dataDir = join(folder, "console");
    const stock = await withService({ folder, dataDir }, async (service) => {
      const added = await addStock(service, pages, report.progress);
      await viewFirst(bench, service);
      return added;
    });
    // The service has just started, so that its first question is measured too.
    await withService({ folder, dataDir }, async (service) => {
      await askQuestions(bench, service, stock);
      await scrollSheet(bench, service, stock);
    });
  },
};

const load = (): number => loadavg()[0] ?? 0;

async function viewFirst({ folder, report }: Bench, { url, apiKey }: Service): Promise<void> {
  // In a repository the console is bundled at the first request; an installed one has it in files.
  await (await fetch(url)).text();
  const rows = [];
  for (const [view, credential, field] of [
    ["signed out", undefined, "input[name=credential]"],
    ["signed in", apiKey, "input[name=q]"],
  ] as const) {
    report.progress(`first view, ${view}`);
    const views = [];
    while (views.length < firstViews) {
      views.push(await timeFirstView({ folder, url, apiKey: credential }, field));
    }
    const interactive = views.map(({ interactiveMs }) => interactiveMs);
    rows.push({
      view,
      "first paint ms": median(views.map(({ paintedMs }) => paintedMs)),
      "interactive ms": median(interactive),
      "at most": Math.max(...interactive),
      "a key to its letter ms": median(views.map(({ keyMs }) => keyMs)),
      "KB over the line": median(views.map(({ kilobytes }) => kilobytes)),
      load: load(),
    });
    report.bar(`first view ${view}, interactive, median`, median(interactive), 1_000, "ms");
  }
  report.table(`${firstViews} first views each, with a fresh browser and an empty profile`, rows);
}

async function askQuestions({ folder, report }: Bench, { url, apiKey }: Service, stock: Stock): Promise<void> {
  report.progress(`${stock.questions.length} questions`);
  const times = await withBrowser({ folder, url, apiKey }, async (page) => {
    await page.goto(url);
    await page.locator("input[name=q]").waitFor();
    const all: AnswerTimes[] = [];
    for (const question of stock.questions) all.push(await timeAnswer(page, question));
    return all;
  });
  const [first, ...others] = times;
  if (first === undefined) throw new Error("no question was asked");
  const row = (pages: string, of: (answer: AnswerTimes) => number) => ({
    "until one sees": pages,
    "first question after the start, ms": of(first),
    "p50 ms": percentile(others.map(of), 0.5),
    "at most ms": Math.max(...others.map(of)),
    load: load(),
  });
  report.table(
    `${times.length} questions at ${stock.pages} pages, each page drawn for the first time, from the Enter`,
    [
      row("the first page", ({ firstMs }) => firstMs),
      row("the first row", ({ rowMs }) => rowMs),
      row("all in the window", ({ windowMs }) => windowMs),
    ],
  );
  const rows = others.map(({ rowMs }) => rowMs);
  report.bar("a question to its first row of pages, p50", percentile(rows, 0.5), 400, "ms");
  report.bar("a question to its first row of pages, at most", Math.max(...rows), 400, "ms");
  report.bar("the first question after the start, to its first row", first.rowMs, 400, "ms");
}

async function scrollSheet({ folder, report }: Bench, { url, apiKey }: Service, stock: Stock): Promise<void> {
  const { firstId, firstName } = stock;
  const rows = [];
  for (const speed of speeds) {
    report.progress(`the contact sheet at ${speed} pixels a second`);
    const scrolled = await withBrowser({ folder, url, apiKey }, async (page) => {
      await page.goto(`${url}/documents/${firstId}`);
      await page.locator(".contact-picture[src]").first().waitFor();
      return scrollThrough(page, speed);
    });
    const { seconds, frames, meanRate, leastRate, worstFrameMs, lateFrames, pictures, heapMb } = scrolled;
    rows.push({
      "pixels a second": speed,
      seconds,
      frames,
      "frames a second": meanRate,
      "in the worst second": leastRate,
      "worst frame ms": worstFrameMs,
      "over 34 ms": lateFrames,
      "pictures at most": pictures,
      "heap MB": heapMb,
      load: load(),
    });
    report.bar(`a frame in the worst second at ${speed} pixels a second`, 1_000 / leastRate, longestFrameMs, "ms");
  }
  report.table(`${firstName}: its contact sheet from top to bottom, drawn by software`, rows);
}
