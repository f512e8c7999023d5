import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isGarbled } from "../../server/embedding/ocr/text-layer.ts";
import type { PageEngine } from "../../server/pipeline/engines/engine.ts";
import { createPdfiumEngine } from "../../server/pipeline/engines/pdfium/engine.ts";
import { cleanWords } from "../../server/pipeline/engines/words.ts";
import { corpusFile, corpusReason, hasCorpus } from "../service/corpus.ts";
import { hasTool, toolReason } from "../service/tools.ts";

/** Pages whose words pdftotext gets wrong or that show fewer than it has, as their pictures show. */
const misread: readonly (readonly [page: RegExp, reason: string])[] = [
  [/^XiaoBiaoSong\.pdf#1$/, "takes Chinese letters for Latin ones"],
  [/^mercatormap\.pdf#(?:17|27|28|29|33|34|49|51|64|84|89)$/, "joins marks of footnotes to the words before them"],
  [/^octave\.pdf#592$|^pgfmanual\.pdf#1228$/, "joins the letters of formulas in another way"],
  [/^pgfmanual\.pdf#(?:85|88|94)$/, "mixes words that are drawn over each other"],
  [/^pgfmanual\.pdf#(?:65[56]|66[234]|1225)$/, "joins other letters of words that run along a curve"],
  [/^vertical-japanese-drawn-by-rows\.pdf#1$/, "reads columns of Japanese as rows"],
  [/^pgfmanual\.pdf#(?:391|396|78[34]|121[4568]|1256|1258|1263)$/, "has words that are covered, or not there yet"],
  [/^freeculture\.pdf#6$/, "has a title under a black bar"],
  [/^standard_fonts\.pdf#14$/, "has the line of the program, white on white"],
];

const minRecall = 0.98;
/** The maximum number of pages compared as a whole. Of longer documents every third page is compared, which saves a minute. */
const maxWhole = 300;

const wordsOf = (text: string): readonly string[] =>
  text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

const pdftotext = (...words: readonly string[]): string =>
  execFileSync("pdftotext", words, { maxBuffer: 2 ** 30, stdio: ["ignore", "pipe", "ignore"] }).toString();

/** The words that pdftotext finds on each page, and those of them outside of the visible area. */
function pagesOf(file: string): readonly { readonly text: string; readonly beside: readonly string[] }[] {
  const texts = pdftotext(file, "-").split("\f");
  // It gives the boxes of words within the crop box alone, and the text of all.
  const boxes = pdftotext("-cropbox", "-bbox", file, "-").split("<page ").slice(1);
  return texts.map((text, page) => {
    const within = Array.from(boxes[page]?.matchAll(/<word .*?>(.*?)<\/word>/g) ?? [], ([, word = ""]) => word);
    return { text, beside: without(wordsOf(text), wordsOf(within.join(" ").replace(/&\w+;/g, " "))) };
  });
}

/** The words without as many of each as these. */
function without(words: readonly string[], others: readonly string[]): readonly string[] {
  const left = Map.groupBy(others, (word) => word);
  return words.filter((word) => left.get(word)?.pop() === undefined);
}

/** The share of the words that the page has, each as often; parts of formulas may be put together in another way. */
function recall(wanted: readonly string[], words: readonly string[]): number {
  const left = Map.groupBy(words, (word) => word);
  const all = words.join("");
  const found = wanted.filter((word) => {
    if (left.get(word)?.pop() !== undefined) return true;
    return (word.length <= 2 || /\p{N}/u.test(word)) && all.includes(word);
  });
  return wanted.length === 0 ? 1 : found.length / wanted.length;
}

/** Kendall's tau of the order of the words that both have once: 1 is the same order, -1 the reverse. */
function tau(wanted: readonly string[], words: readonly string[]): number {
  const once = (list: readonly string[]): ReadonlyMap<string, number> => {
    const places = Map.groupBy(list.entries(), ([, word]) => word);
    return new Map([...places].flatMap(([word, [first, second]]) => (first && !second ? [[word, first[0]]] : [])));
  };
  const places = once(words);
  const order = [...once(wanted).keys()].flatMap((word) => places.get(word) ?? []);
  let inverted = 0;
  order.forEach((place, index) => {
    for (const other of order.slice(index + 1)) if (other < place) inverted += 1;
  });
  const pairs = (order.length * (order.length - 1)) / 2;
  return pairs < 10 ? 1 : 1 - (2 * inverted) / pairs;
}

const isReady = hasCorpus && hasTool("pdftotext");
const files = isReady
  ? ["pdf", "field"].flatMap((folder) =>
      readdirSync(corpusFile(folder))
        .filter((name) => name.endsWith(".pdf"))
        .map((name) => [name, corpusFile(`${folder}/${name}`)] as const),
    )
  : [];

describe.skipIf(!isReady)(
  `words of real PDFs beside those of pdftotext${corpusReason}${toolReason("pdftotext")}`,
  () => {
    let engine: PageEngine;
    const taus: number[] = [];
    beforeAll(async () => {
      engine = await createPdfiumEngine(2 ** 30);
    });
    afterAll(() => {
      const mean = taus.reduce((sum, one) => sum + one, 0) / taus.length;
      console.info(`order of words on ${taus.length} pages: tau ${mean.toFixed(3)} on average`);
    });

    test.each(files)(
      "%s has at least 98 % of them on each page",
      async (name, file) => {
        const pages = pagesOf(file);
        const document = await engine.open(file);
        const short: string[] = [];
        const step = document.pageCount > maxWhole ? 3 : 1;
        for (let page = 1; page <= document.pageCount; page += step) {
          const text = await document.read(page).then(
            ({ words }) => words,
            () => "",
          );
          const { text: all, beside } = pages[page - 1] ?? { text: "", beside: [] };
          const wanted = without(wordsOf(cleanWords(all)), beside);
          const words = wordsOf(text);
          if (isGarbled(text) || misread.some(([pattern]) => pattern.test(`${name}#${page}`))) continue;
          const share = recall(wanted, words);
          if (share < minRecall) short.push(`page ${page}: ${(100 * share).toFixed(1)} % of ${wanted.length}`);
          taus.push(tau(wanted, words));
        }
        await document.close();
        expect(short).toEqual([]);
      },
      600_000,
    );
  },
);
