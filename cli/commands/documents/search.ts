import { readFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { type Command, Option } from "commander";
import type { Filter, FoundItems, ItemRow, Job, SearchQuery } from "@drs/client";
import { usageError } from "../../failures.ts";
import { count } from "../../output/amounts.ts";
import { documentIds } from "../../documents/find-document.ts";
import { drawHighlights, openGallery } from "../../pictures/gallery.ts";
import { describeFound, divider, foundLines, type FoundPage } from "../../search/found-pages.ts";
import { extHelp, fraction, where, whereHelp, wholeNumber, words } from "../flag-values.ts";
import { savePages } from "../../search/saved-pages.ts";
import { pendingJobs, pendingNote } from "../../search/pending.ts";
import {
  type ClientFlags,
  type Context,
  openSession,
  rowOption,
  type Session,
  withClient,
  withExamples,
} from "../command.ts";
import { checkImages, type ImageFlags, noPictures, withImages } from "./images.ts";
import { actOnLink, checkLinkActions, expiresInOption, type LinkFlags, withLinkActions } from "../admin/links.ts";

interface SearchFlags extends ClientFlags, LinkFlags, ImageFlags {
  readonly image?: string;
  readonly dataset?: readonly string[];
  readonly where?: Filter;
  readonly limit: number;
  readonly row: ItemRow;
  readonly expiresIn?: number;
  readonly save?: string;
  readonly ext?: readonly string[];
  readonly minScore?: number;
  readonly neighbours?: number;
  readonly text?: boolean;
  readonly explain?: boolean;
  readonly highlights?: boolean;
}

export function defineSearch(command: Command, context: Context): void {
  explainLeftOut(command);
  withExamples(
    withClient(
      command.argument(
        "[query...]",
        'a question, topic or idea; "phrases" must be on the page, if any page has them; -words and -"phrases" must not',
      ),
    ),
    [
      ['drs search "how do I reset the device"', "ranked pages of all vectorized documents"],
      [`drs search '"exchange rate" -forecast'`, "pages with the phrase and without the word"],
      ["drs search quarterly revenue chart --save found", "their pictures as files"],
      ["drs search --image photo.png --open", "the page most like it, in the browser"],
      ["drs search warranty --images sixel --highlights", "with every picture as sixels and the words marked"],
      ["drs search warranty --min-score 0.3 --text", "only likely pages, with their text"],
      ["drs search warranty --dataset ds_01K0 --limit 3 --json", "for a program"],
      ["drs search warranty --where 'year>=2020' --where customer=42", "only in documents with this metadata"],
      ["drs search warranty --ext docx,pptx", "only in documents of these formats"],
    ],
  )
    .option("--image <file|url>", "a picture to look for, alone or with words")
    .option("--dataset <ids>", "only in these datasets, by id or name; repeat the flag or use commas", words)
    .option("--where <condition>", whereHelp, where)
    .option("--ext <list>", extHelp, words)
    .addOption(new Option("--limit <n>", "how many pages, 1 to 100").argParser(wholeNumber(1, 100)).default(10))
    .addOption(rowOption("jpg"))
    .addOption(expiresInOption())
    .addOption(new Option("--min-score <score>", "only pages with at least this score, 0 to 1").argParser(fraction))
    .addOption(
      new Option("--neighbours <n>", "also this many pages before and after each, 0 to 5").argParser(wholeNumber(0, 5)),
    )
    .option("--explain", "show the reasons for each score: words, spaces, document, page, in log-odds")
    .option("--highlights", "mark the words of the query in the pictures that are shown and saved")
    .option("--text", "also show the text layer of the pages")
    .option(
      "--save <dir>",
      "save the found pages in this folder (default without a running server: a folder in the cache, for a day)",
    );
  withLinkActions(command, "the best page");
  withImages(command, "show every picture in the terminal; without a value, in the best format that it supports")
    .option("--no-images", "show no pictures (default: the first ones, if the terminal supports it)")
    .action((query: readonly string[], flags: SearchFlags) => search(query, flags, context));
}

async function search(query: readonly string[], flags: SearchFlags, context: Context): Promise<void> {
  const { io } = context;
  const { signal } = io;
  const { dataset: named, where: filter, ext: fileExt, limit, row, expiresIn: expiresInSeconds } = flags;
  const { minScore, neighbours, explain } = flags;
  const include = [
    ...(flags.text === true ? (["text"] as const) : []),
    ...(flags.highlights === true ? (["highlights"] as const) : []),
    ...(query.length === 0 ? [] : (["snippet"] as const)),
  ];
  checkImages(flags, row);
  checkLinkActions(flags, io);
  const asked = await searchQueryOf(query, flags.image);
  const session = await openSession(flags, context);
  const { drs, output } = session;
  const datasetIds = named === undefined ? undefined : await documentIds(drs, named, signal);
  const bounds = { datasetIds, filter, fileExt, limit, minScore };
  const [found, pending] = await Promise.all([
    drs.search(asked, { ...bounds, row, expiresInSeconds, neighbours, explain, include, signal }),
    pendingJobs(drs, datasetIds, signal),
  ]);
  const pages = await savePages(session, await describeFound(drs, found, signal), flags.save);

  const { incompleteDatasetIds, likely } = found;
  const missing = incompleteDatasetIds.length > 0 && { incomplete: true, incompleteDatasetIds };
  const waiting = pending.length > 0 && { pendingJobIds: pending.map(({ id }) => id) };
  output.result({ total: pages.length, likely, data: pages, ...missing, ...waiting }, () => []);
  if (!output.json) {
    for (const note of remarks(pages, found, pending)) output.note(note);
    if (pages.length === 0 && pending.length === 0) output.note(nothingFound(flags));
    await show(session, { pages, likely }, row === "jpg" ? flags.images : false);
  }
  const [best] = pages;
  if (best === undefined) return;
  const way = best.savedTo !== undefined && session.linksEnd() ? { path: resolve(best.savedTo) } : best.share;
  await actOnLink(way, flags, io, output.note);
}

/** Returns the notes that are printed beside the ranking. */
function remarks(pages: readonly FoundPage[], { incompleteDatasetIds }: FoundItems, pending: readonly Job[]): string[] {
  const left = incompleteDatasetIds.length;
  const note = pendingNote(pending);
  return [
    ...(left > 0 ? [`part of the index is being rebuilt; pages may be missing from ${count(left, "document")}`] : []),
    ...(note === undefined ? [] : [note]),
    ...(pages.length === 0 && note !== undefined ? ["nothing found yet"] : []),
  ];
}

/** Returns why nothing may have been found, starting with the user's own limits, which can be dropped at once. */
function nothingFound({ minScore, dataset, where: filter, ext }: SearchFlags): string {
  const bounds = [
    ...(minScore === undefined || minScore === 0 ? [] : [`--min-score ${minScore}`]),
    ...(dataset === undefined ? [] : ["--dataset"]),
    ...(filter === undefined ? [] : ["--where"]),
    ...(ext === undefined ? [] : ["--ext"]),
  ];
  return bounds.length === 0
    ? "nothing found; only vectorized documents can be searched: drs upload FILE --vectorize"
    : `nothing found with ${bounds.join(" and ")}; search without ${bounds.length === 1 ? "it" : "them"}, or with wider limits`;
}

/** Explains how to quote an excluded word: to commander, `-word` looks like an unknown option. */
function explainLeftOut(command: Command): void {
  const { outputError } = command.configureOutput();
  command.configureOutput({
    outputError(text, write) {
      outputError?.(text, write);
      const word = /unknown option '(-[^-\s][^']*)'/u.exec(text)?.[1];
      if (word !== undefined) write(`  → quote the query for the shell to exclude a word: drs search '… ${word}'\n`);
    },
  });
}

/** Prints the ranking, with the pictures of its first pages or of all of them. */
async function show(
  { drs, output, io }: Session,
  { pages, likely }: { readonly pages: readonly FoundPage[]; readonly likely: number },
  option: SearchFlags["images"],
): Promise<void> {
  const gallery = await openGallery(option, pages.length, io);
  const line = divider(likely, pages.length, output.style);
  for (const [index, page] of pages.entries()) {
    if (index === likely && line !== undefined) output.line(line);
    for (const line of foundLines(page, output.style)) output.line(line);
    if (page.rank > gallery.count) continue;
    const { highlights = [] } = page;
    output.raw(
      await gallery.draw(async () =>
        drawHighlights(await (await drs.download(page, { signal: io.signal })).bytes(), highlights),
      ),
    );
  }
  if (gallery.reason !== undefined) output.note(noPictures(gallery.reason));
}

const pictureTypes: Readonly<Record<string, string>> = {
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".png": "image/png",
  ".webp": "image/webp",
  ".gif": "image/gif",
  ".tif": "image/tiff",
  ".tiff": "image/tiff",
  ".avif": "image/avif",
};

/** Creates the query from words and a picture, which is an address, a data URL, or a file. */
async function searchQueryOf(words: readonly string[], image: string | undefined): Promise<SearchQuery> {
  const text = words.join(" ").trim();
  if (image === undefined) {
    if (text === "") throw usageError("nothing to search for", "give a question, a picture with --image, or both");
    return text;
  }
  if (/^(https?|data):/i.test(image)) return { text, image };
  const type = pictureTypes[extname(image).toLowerCase()];
  if (type === undefined) {
    throw usageError(
      `${image} does not look like a picture`,
      `--image takes an http(s) address or a file: ${Object.keys(pictureTypes).join(", ")}`,
    );
  }
  return { text, image: new Blob([await readFile(image)], { type }) };
}
