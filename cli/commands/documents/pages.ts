import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Command } from "commander";
import type { Item, ItemFilter, ItemRow } from "@drs/client";
import { mapConcurrent } from "../../bounded.ts";
import { type Document, documentId, documentOf } from "../../documents/find-document.ts";
import { type ExitCode, exitCodes } from "../../exit-codes.ts";
import { CliError, describeFailure, type Failure, usageError } from "../../failures.ts";
import { pageFileName, saveShared } from "../../files/page-file.ts";
import { count } from "../../output/amounts.ts";
import { printable } from "../../output/printable.ts";
import { pageSelection, type PageSelection } from "../../pages/page-ranges.ts";
import { openGallery, type PictureOption } from "../../pictures/gallery.ts";
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
import { actOnLink, checkLinkActions, type LinkFlags, withLinkActions } from "../admin/links.ts";

/** Renditions are made on demand: with more at once they would only wait for each other. */
const pagesAtOnce = 4;
/** Lifetime of the links, seconds: long enough for the last of many pages. */
const linkSeconds = 86_400;

interface GetFlags extends ClientFlags, LinkFlags, ImageFlags {
  readonly row: ItemRow;
  /** Undefined means the current folder, unless the pages are shown, opened or copied instead. */
  readonly out?: string;
}

export function definePages(command: Command, context: Context): void {
  const get = command.command("get").description("save, show or open pages of a dataset");
  withExamples(withClient(get), [
    ["drs pages get manual.pdf 5-10,16", "seven pictures in the current folder"],
    ["drs pages get ds_01K0 3 --row pdf --out - > page.pdf", "one page as a PDF on stdout"],
    ["drs pages get ds_01K0 1- --out pictures", "every page"],
    ["drs pages get ds_01K0 3 --images", "shown in the terminal, not saved"],
    ["drs pages get ds_01K0 3 --row pdf --open", "opened in the browser, not saved"],
  ])
    .argument("<dataset>", "dataset id, ds_…, or the name of its document")
    .argument("<pages>", "16, 5-10 (both included), 5-, :10, or several with commas", pageSelection)
    .addOption(rowOption("jpg"))
    .option(
      "--out <dir>",
      "folder for the files; - writes a single page to stdout (default: current folder, or none with --images, --open, --copy)",
    );
  withLinkActions(get, "a single page");
  withImages(get, "show the pages in the terminal; without a value, in the best format that it supports").action(
    async (word: string, pages: PageSelection, flags: GetFlags) => {
      const { row, out } = flags;
      checkImages(flags, row);
      checkLinkActions(flags, context.io);
      const session = await openSession(flags, context);
      const { signal } = context.io;
      const dataset = await documentId(session.drs, word, signal);
      const asked: PagesRequest = { dataset, pages, row, document: await documentOf(session.drs, dataset, signal) };
      if (out === "-") return writeOnePage(session, asked);
      const shows = flags.images !== undefined && flags.images !== "none";
      const links = flags.open === true || flags.copy === true;
      const items = await itemsOf(session, asked);
      if (links && items.length > 1)
        throw tooMany(pages.expression, items.length, flags.open === true ? "--open" : "--copy");
      const outcome = await eachPage(session, items, {
        fileName: asked.document.fileName,
        folder: out ?? (shows || links ? undefined : "."),
        pictures: shows ? flags.images : false,
      });
      const [first] = items;
      if (links && first !== undefined) await actOnLink(first.share, flags, session.io, session.output.note);
      const { itemCount } = asked.document;
      const beyond = itemCount === undefined ? [] : pages.beyond(itemCount);
      if (beyond.length > 0) session.output.note(sentenceBeyond(asked, beyond));
      context.finish(beyond.length > 0 && outcome === exitCodes.ok ? exitCodes.partly : outcome);
    },
  );
}

interface PagesRequest {
  readonly dataset: string;
  readonly document: Document;
  readonly pages: PageSelection;
  readonly row: ItemRow;
}

async function itemsOf({ drs, io }: Session, asked: PagesRequest): Promise<readonly Item[]> {
  const items = await Array.fromAsync(drs.items.list(asked.dataset, queryOf(asked), { signal: io.signal }));
  if (items.length === 0) throw noPages(asked);
  return items.toSorted((one, other) => asked.pages.order(one.col, other.col));
}

async function writeOnePage({ drs, io }: Session, asked: PagesRequest): Promise<void> {
  const { signal, stdout } = io;
  const { data, total } = await drs.items.page(asked.dataset, { ...queryOf(asked), limit: 2 }, { signal });
  const [item] = data;
  if (item === undefined) throw noPages(asked);
  if (total > 1) throw tooMany(asked.pages.expression, total, "--out -");
  const { body } = await drs.download(item, { signal });
  await pipeline(Readable.from(body), stdout, { signal, end: false });
}

interface Destination {
  readonly fileName: string;
  /** Undefined if the pages are not saved. */
  readonly folder: string | undefined;
  readonly pictures: PictureOption;
}

/** Saves and shows the pages; one failed page does not stop the others. */
async function eachPage(session: Session, items: readonly Item[], to: Destination): Promise<ExitCode> {
  const { drs, output, io } = session;
  const { signal } = io;
  const { fileName } = to;
  const gallery = output.json ? undefined : await openGallery(to.pictures, items.length, io);
  if (gallery?.reason !== undefined) {
    if (to.folder === undefined)
      throw new CliError(`no pictures can be shown: ${gallery.reason}`, {
        next: "save them with --out DIR, or have them drawn anyway with --images blocks",
      });
    output.note(noPictures(gallery.reason));
  }
  const failures: Failure[] = [];
  const shown = gallery !== undefined && gallery.count > 0;
  const inOrder = createInOrder();
  const tell = ({ col: page, row, id, share }: Item, path: string | undefined, failure: Failure | undefined): void => {
    if (failure !== undefined) {
      failures.push(failure);
      output.event({ page, row, id, error: failure.message, code: failure.code });
      output.note(`page ${page}: ${printable(failure.message)}`);
      return;
    }
    output.event({ page, row, id, ...(path === undefined ? { share } : { path }) });
    if (path !== undefined) output.line(path);
  };
  await mapConcurrent(items, shown ? 1 : pagesAtOnce, async (item, index) => {
    const { col: page, row } = item;
    const path = to.folder === undefined ? undefined : join(to.folder, pageFileName({ fileName, page, row }));
    const unsaved = path === undefined ? undefined : await failureOf(saveShared(drs, item, path, { signal }), signal);
    inOrder(index, () => tell(item, path, unsaved));
    if (!shown || unsaved !== undefined) return;
    const draw = async (): Promise<void> => {
      const { link, bold } = output.style;
      const picture = await (await drs.download(item, { signal })).bytes();
      if (path === undefined) output.line(link(bold(`${printable(fileName)}, page ${page}`), item.share.url));
      output.raw(await gallery.draw(() => Promise.resolve(picture)));
    };
    const undrawn = await failureOf(draw(), signal);
    if (undrawn !== undefined) tell(item, path, undrawn);
  });
  if (failures.length === 0) return exitCodes.ok;
  return failures.length < items.length ? exitCodes.partly : exitCodes.failed;
}

/** Returns why the work failed, or undefined if it succeeded. Rejects with the reason of an abort. */
async function failureOf(work: Promise<void>, signal: AbortSignal): Promise<Failure | undefined> {
  try {
    await work;
    return undefined;
  } catch (cause) {
    signal.throwIfAborted();
    return describeFailure(cause);
  }
}

function queryOf({ pages, row }: PagesRequest): ItemFilter {
  return { cols: pages.expression, row, sort: ["col"], expiresInSeconds: linkSeconds };
}

const sentenceBeyond = ({ document: { fileName, itemCount } }: PagesRequest, beyond: readonly string[]): string =>
  `${printable(fileName)} has ${count(itemCount ?? 0, "page")}, and none of ${beyond.join(", ")}`;

function noPages(asked: PagesRequest): CliError {
  const { dataset, document, pages, row } = asked;
  if (document.itemCount !== undefined && document.itemCount > 0) {
    const beyond = pages.beyond(document.itemCount);
    if (beyond.length > 0)
      return new CliError(sentenceBeyond(asked, beyond), {
        next: `name pages from 1 to ${document.itemCount}; more may appear while its job runs`,
      });
  }
  return new CliError(`${dataset} has no pages ${pages.expression} as ${row}`, {
    next:
      row === "embedding_image"
        ? `embeddings exist once the dataset is vectorized: drs datasets vectorize ${dataset}`
        : `drs datasets get ${dataset} shows how many pages it has; pages appear while its job runs`,
  });
}

function tooMany(pages: string, total: number, flag: string): CliError {
  return usageError(
    `${flag} takes one page, and ${pages} matches ${total}`,
    "name one page, or a folder for all of them with --out",
  );
}

/**
 * Returns a function that runs prints in the order of their indexes, each as soon as all before it have run. Indexes
 * start at 0, without gaps or repetitions.
 */
export function createInOrder(): (index: number, print: () => void) => void {
  const waiting = new Map<number, () => void>();
  let next = 0;
  return (index, print) => {
    waiting.set(index, print);
    for (let first = waiting.get(next); first !== undefined; first = waiting.get(next)) {
      waiting.delete(next);
      next += 1;
      first();
    }
  };
}
