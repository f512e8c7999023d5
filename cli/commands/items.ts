import type { Command } from "commander";
import type { Item, ItemRow } from "@drs/client";
import { printPage } from "../output/output.ts";
import type { Column } from "../output/table.ts";
import {
  type ClientFlags,
  type Context,
  openSession,
  type PagingFlags,
  rowOption,
  wholeNumber,
  withClient,
  withExamples,
  withPaging,
  words,
} from "./command.ts";

const columns: readonly Column<Item>[] = [
  { title: "PAGE", align: "right", value: ({ col }) => String(col) },
  { title: "FORMAT", value: ({ row }) => row },
  { title: "ITEM", value: ({ id }) => id },
  { title: "LINK", value: ({ share }) => share.url },
];

/** Longest life of a link that the service gives, seconds: a week. */
const longestLinkSeconds = 604_800;

interface ItemFlags extends ClientFlags, PagingFlags {
  readonly cols?: string;
  readonly row?: ItemRow;
  readonly sort: readonly string[];
  readonly expiresIn?: number;
}

export function defineItems(command: Command, context: Context): void {
  withExamples(withPaging(withClient(command.argument("<dataset>", "dataset id, ds_…"))), [
    ["drs items ds_01K0 --cols 5:10,16 --row jpg", "links to the pictures of seven pages"],
    ["drs items ds_01K0 --row pdf --limit 100 --json", "the first hundred one-page PDFs, for a program"],
  ])
    .option("--cols <pages>", "pages: 16, 5:10 with both ends, 5:, :10, or several with commas")
    .addOption(rowOption())
    .option("--sort <list>", "createdAt, col, row; - in front for descending", words, ["col", "row"])
    .option(
      "--expires-in <seconds>",
      "how long the links work, 1 to 604800 (default: 600)",
      wholeNumber(1, longestLinkSeconds),
    )
    .action(async (dataset: string, flags: ItemFlags) => {
      const { drs, output, world } = await openSession(flags, context);
      const { cols, row, sort, offset, limit, expiresIn } = flags;
      const query = { cols, row, sort, offset, limit, expiresInSeconds: expiresIn };
      const page = await drs.items.page(dataset, query, { signal: world.signal });
      printPage(output, page, columns, "no items match; items appear page by page while the job runs");
    });
}
