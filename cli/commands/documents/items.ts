import type { Command } from "commander";
import type { Item, ItemRow } from "@drs/client";
import { documentId } from "../../documents/find-document.ts";
import type { Column } from "../../output/table.ts";
import { pageSelection, type PageSelection } from "../../pages/page-ranges.ts";
import type { Style } from "../../terminal/style.ts";
import { type ClientFlags, type Context, openSession, rowOption, withClient, withExamples } from "../command.ts";
import { words } from "../flag-values.ts";
import { expiresInOption } from "../admin/links.ts";
import { type ListFlags, printList, withList } from "../list.ts";

function columnsFor({ hyperlinks }: Style): readonly Column<Item>[] {
  return [
    { title: "PAGE", align: "right", value: ({ col }) => String(col) },
    { title: "FORMAT", value: ({ row }) => row },
    { title: "ITEM", rank: 1, value: ({ id }) => id },
    {
      title: "LINK",
      value: ({ share }) => share.url,
      link: ({ share }) => share.url,
      // A link that can be clicked on may be shortened; any other is copied by hand and must be complete.
      ...(hyperlinks ? { minColumns: 20 } : {}),
    },
  ];
}

interface ItemFlags extends ClientFlags, ListFlags {
  readonly cols?: PageSelection;
  readonly row?: ItemRow;
  readonly sort: readonly string[];
  readonly expiresIn?: number;
}

export function defineItems(command: Command, context: Context): void {
  withExamples(withList(withClient(command.argument("<dataset>", "dataset id, ds_…, or the name of its document"))), [
    ["drs items manual.pdf --cols 5-10,16 --row jpg", "links to the pictures of seven pages"],
    ["drs items ds_01K0 --row pdf --limit 100 --json", "the first hundred one-page PDFs, for a program"],
  ])
    .option("--cols <pages>", "pages: 16, 5-10 (both included), 5-, :10, or several with commas", pageSelection)
    .addOption(rowOption())
    .option("--sort <list>", "createdAt, col, row; with - in front for descending", words, ["col", "row"])
    .addOption(expiresInOption())
    .action(async (word: string, flags: ItemFlags) => {
      const { drs, output, io } = await openSession(flags, context);
      const { signal } = io;
      const { cols, row, sort, expiresIn } = flags;
      const dataset = await documentId(drs, word, signal);
      const filter = { cols: cols?.expression, row, sort, expiresInSeconds: expiresIn };
      await printList(
        output,
        flags,
        {
          page: (query) => drs.items.page(dataset, { ...filter, ...query }, { signal }),
          entries: (query) => drs.items.list(dataset, { ...filter, ...query }, { signal }),
        },
        columnsFor(output.style),
        "no items match; items appear page by page while the job runs",
      );
    });
}
