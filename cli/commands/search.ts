import { join } from "node:path";
import { type Command, Option } from "commander";
import type { ItemRow } from "@drs/client";
import { mapBounded } from "../bounded.ts";
import { count } from "../output/amounts.ts";
import { documentIds } from "../documents/find-document.ts";
import { pageFileName } from "../files/file-name.ts";
import { saveShared } from "../files/save.ts";
import { openGallery } from "../pictures/gallery.ts";
import { describeFound, type FoundPage, foundLines } from "../search/found-pages.ts";
import { searchQueryOf } from "../search/query.ts";
import {
  type ClientFlags,
  type Context,
  openSession,
  rowOption,
  type Session,
  wholeNumber,
  withClient,
  withExamples,
  words,
} from "./command.ts";
import { checkImages, type ImageFlags, noPictures, withImages } from "./images.ts";
import { actOnLink, checkLinkActions, expiresInOption, type LinkFlags, withLinkActions } from "./links.ts";

const savesAtOnce = 4;

interface SearchFlags extends ClientFlags, LinkFlags, ImageFlags {
  readonly image?: string;
  readonly dataset?: readonly string[];
  readonly limit: number;
  readonly row: ItemRow;
  readonly expiresIn?: number;
  readonly save?: string;
}

export function defineSearch(command: Command, context: Context): void {
  withExamples(withClient(command.argument("[query...]", "a question, topic or idea")), [
    ['drs search "how do I reset the device"', "ranked pages of all vectorized documents"],
    ["drs search quarterly revenue chart --save found", "their pictures as files"],
    ["drs search --image photo.png --open", "the page most like it, in the browser"],
    ["drs search warranty --images sixel", "with every picture, as sixels"],
    ["drs search warranty --dataset ds_01K0 --limit 3 --json", "for a program"],
  ])
    .option("--image <file|url>", "a picture to look for, alone or with words")
    .option("--dataset <ids>", "only in these datasets, by id or name; repeat it or use commas", words)
    .addOption(new Option("--limit <n>", "how many pages, 1 to 100").argParser(wholeNumber(1, 100)).default(10))
    .addOption(rowOption("jpg"))
    .addOption(expiresInOption())
    .option("--save <dir>", "save the found pages in this folder");
  withLinkActions(command, "the best page");
  withImages(command, "show every picture here; alone: as well as the terminal can, as far as it can tell")
    .option("--no-images", "show no pictures (default: the first ones, in a terminal that can)")
    .action(async (query: readonly string[], flags: SearchFlags) => {
      const { world } = context;
      const { dataset: named, limit, row, expiresIn: expiresInSeconds, save } = flags;
      const { signal } = world;
      checkImages(flags, row);
      checkLinkActions(flags, world);
      const asked = await searchQueryOf(query, flags.image);
      const session = await openSession(flags, context);
      const { drs, output } = session;
      const datasetIds = named === undefined ? undefined : await documentIds(drs, named, signal);
      const found = await drs.search(asked, { datasetIds, limit, row, expiresInSeconds, signal });
      const described = await describeFound(drs, found, signal);
      const pages =
        save === undefined
          ? described
          : await mapBounded(described, savesAtOnce, (page) => savePage(session, page, save));

      const { incompleteDatasetIds } = found;
      const missing = incompleteDatasetIds.length > 0 && { incomplete: true, incompleteDatasetIds };
      output.result({ total: pages.length, data: pages, ...missing }, () => []);
      if (missing && !output.json)
        output.note(
          `part of the index is being made again; pages may be missing from ${count(incompleteDatasetIds.length, "document")}`,
        );
      if (pages.length === 0 && !output.json)
        output.note("nothing found; only vectorized documents can be searched: drs upload FILE --vectorize");
      if (!output.json) await show(session, pages, row === "jpg" ? flags.images : false);
      const [best] = pages;
      if (best !== undefined) await actOnLink(best.share.url, flags, world, output.note);
    });
}

/** The ranking, with the pictures of its first pages or of all. */
async function show(
  { drs, output, world }: Session,
  pages: readonly FoundPage[],
  option: SearchFlags["images"],
): Promise<void> {
  const gallery = await openGallery(option, pages.length, world);
  for (const page of pages) {
    for (const line of foundLines(page, output.style)) output.line(line);
    if (page.rank > gallery.count) continue;
    output.raw(await gallery.draw(async () => (await drs.download(page, { signal: world.signal })).bytes()));
  }
  if (gallery.reason !== undefined) output.note(noPictures(gallery.reason));
}

async function savePage({ drs, world }: Session, page: FoundPage, folder: string): Promise<FoundPage> {
  const name = pageFileName({ fileName: page.fileName, page: page.col, row: page.row });
  const savedTo = join(folder, `${String(page.rank).padStart(2, "0")}-${name}`);
  await saveShared(drs, page, savedTo, world.signal);
  return { ...page, savedTo };
}
