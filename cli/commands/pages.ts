import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Command, InvalidArgumentError } from "commander";
import type { ItemRow } from "@drs/client";
import { mapBounded } from "../bounded.ts";
import { exitCodes } from "../exit-codes.ts";
import { CliError, describeFailure, type Failure, usageError } from "../failures.ts";
import { pageFileName } from "../files/file-name.ts";
import { saveShared } from "../files/save.ts";
import { printable } from "../output/printable.ts";
import { type ClientFlags, type Context, openSession, rowOption, withClient, withExamples } from "./command.ts";

/** Renditions are made on demand: more at once would only wait for each other. */
const pagesAtOnce = 4;
/** Long enough for the last of many pages, seconds. */
const linkSeconds = 86_400;

interface GetFlags extends ClientFlags {
  readonly row: ItemRow;
  readonly out: string;
}

export function definePages(command: Command, context: Context): void {
  const get = command.command("get").description("save pages of a dataset as files");
  withExamples(withClient(get), [
    ["drs pages get ds_01K0 5:10,16", "seven pictures in this folder"],
    ["drs pages get ds_01K0 3 --row pdf --out - > page.pdf", "one page as a PDF on stdout"],
    ["drs pages get ds_01K0 1: --out pictures", "every page"],
  ])
    .argument("<dataset>", "dataset id, ds_…")
    .argument("<pages>", "16, 5:10 with both ends, 5:, :10, or several with commas", pageExpression)
    .addOption(rowOption("jpg"))
    .option("--out <dir>", "folder for the files; - writes a single page to stdout", ".")
    .action(async (dataset: string, pages: string, flags: GetFlags) => {
      const { drs, output, world } = await openSession(flags, context);
      const { signal } = world;
      const { row, out } = flags;
      const query = { cols: pages, row, sort: ["col"], expiresInSeconds: linkSeconds };
      if (out === "-") {
        const found = await drs.items.page(dataset, { ...query, limit: 2 }, { signal });
        const [item] = found.data;
        if (item === undefined) throw noPages(dataset, pages, row);
        if (found.total > 1)
          throw usageError(
            `--out - writes one page, and ${pages} matches ${found.total}`,
            "name one page, or a folder with --out",
          );
        const { body } = await drs.download(item, { signal });
        await pipeline(Readable.from(body), world.stdout, { signal, end: false });
        return;
      }
      const { fileName } = await drs.datasets.get(dataset, { signal });
      const items = await Array.fromAsync(drs.items.list(dataset, query, { signal }));
      if (items.length === 0) throw noPages(dataset, pages, row);
      const failures: Failure[] = [];
      await mapBounded(items, pagesAtOnce, async (item) => {
        const path = join(out, pageFileName({ fileName, page: item.col, row: item.row }));
        try {
          await saveShared(drs, item, path, signal);
          output.event({ page: item.col, row: item.row, id: item.id, path });
          output.line(path);
        } catch (cause) {
          signal.throwIfAborted();
          const failure = describeFailure(cause);
          failures.push(failure);
          output.event({ page: item.col, row: item.row, id: item.id, error: failure.message, code: failure.code });
          output.note(`page ${item.col}: ${printable(failure.message)}`);
        }
      });
      if (failures.length > 0) context.finish(failures.length < items.length ? exitCodes.partly : exitCodes.failed);
    });
}

/** What the service would refuse is refused here, before anything is asked of it. */
function pageExpression(text: string): string {
  const parts = text.split(",").map((part) => part.trim());
  const valid = parts.every((part) => {
    const match = /^(?:(\d+)|(\d*)\s*:\s*(\d*))$/.exec(part);
    if (match === null || part === ":") return false;
    const [, single, from = "", to = ""] = match;
    if (single !== undefined) return Number(single) >= 1;
    return (from === "" || Number(from) >= 1) && (to === "" || Number(to) >= Math.max(1, Number(from)));
  });
  if (!valid)
    throw new InvalidArgumentError(
      'Write pages like 16, 5:10, 5:, :10 or several with commas: "5:10,16". The first page is 1.',
    );
  return parts.join(",");
}

function noPages(dataset: string, pages: string, row: ItemRow): CliError {
  return new CliError(`${dataset} has no pages ${pages} as ${row}`, {
    next:
      row === "embedding_image"
        ? `embeddings exist once the dataset is vectorized: drs datasets vectorize ${dataset} --wait`
        : `drs datasets get ${dataset} shows how many pages it has; pages appear while its job runs`,
  });
}
