import { join } from "node:path";
import { type Command, Option } from "commander";
import type { ItemRow } from "@drs/client";
import { mapBounded } from "../bounded.ts";
import { pageFileName } from "../files/file-name.ts";
import { saveShared } from "../files/save.ts";
import { describeFound, type FoundPage, foundLines } from "../search/found-pages.ts";
import { drawPicture, showsPictures } from "../search/pictures.ts";
import { searchQueryOf } from "../search/query.ts";
import {
  type ClientFlags,
  type Context,
  openSession,
  rowOption,
  wholeNumber,
  withClient,
  withExamples,
  words,
} from "./command.ts";

const savesAtOnce = 4;
/** Pictures shown unasked; more would push the ranking off the screen. */
const picturesUnasked = 3;

interface SearchFlags extends ClientFlags {
  readonly image?: string;
  readonly dataset?: readonly string[];
  readonly limit: number;
  readonly row: ItemRow;
  readonly save?: string;
  /** Undefined: where the terminal can show them. */
  readonly images?: boolean;
}

export function defineSearch(command: Command, context: Context): void {
  withExamples(withClient(command.argument("[query...]", "a question, topic or idea")), [
    ['drs search "how do I reset the device"', "ranked pages of all vectorized documents"],
    ["drs search quarterly revenue chart --save found", "their pictures as files"],
    ["drs search --image photo.png", "pages that look like it"],
    ["drs search warranty --dataset ds_01K0 --limit 3 --json", "for a program"],
  ])
    .option("--image <file|url>", "a picture to look for, alone or with words")
    .option("--dataset <ids>", "only in these datasets; repeat it or use commas", words)
    .addOption(new Option("--limit <n>", "how many pages, 1 to 100").argParser(wholeNumber(1, 100)).default(10))
    .addOption(rowOption("jpg"))
    .option("--save <dir>", "save the found pages in this folder")
    .option("--images", "show every picture, as coloured blocks where the terminal knows nothing better")
    .option("--no-images", "show no pictures (default: the first three, where the terminal can)")
    .action(async (query: readonly string[], flags: SearchFlags) => {
      const asked = await searchQueryOf(query, flags.image);
      const session = await openSession(flags, context);
      const { drs, output, world } = session;
      const { signal } = world;
      const { dataset: datasetIds, limit, row, save } = flags;
      const found = await drs.search(asked, { datasetIds, limit, row, signal });
      const described = await describeFound(drs, found, signal);
      const pages =
        save === undefined ? described : await mapBounded(described, savesAtOnce, (page) => savePage(page, save));

      if (output.json) {
        output.result({ total: pages.length, data: pages }, () => []);
        return;
      }
      if (pages.length === 0)
        output.note("nothing found; only vectorized documents can be searched: drs upload FILE --vectorize");
      const pictures =
        row !== "jpg" || flags.images === false
          ? 0
          : flags.images === true
            ? limit
            : showsPictures(world)
              ? picturesUnasked
              : 0;
      for (const page of pages) {
        for (const line of foundLines(page)) output.line(line);
        if (page.rank <= pictures) {
          output.line(await drawPicture(async () => (await drs.download(page, { signal })).bytes(), signal));
        }
      }

      async function savePage(page: FoundPage, folder: string): Promise<FoundPage> {
        const name = pageFileName({ fileName: page.fileName, page: page.col, row: page.row });
        const savedTo = join(folder, `${String(page.rank).padStart(2, "0")}-${name}`);
        await saveShared(drs, page, savedTo, signal);
        return { ...page, savedTo };
      }
    });
}
