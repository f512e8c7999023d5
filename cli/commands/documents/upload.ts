import { type Command, Option } from "commander";
import type { Metadata } from "@drs/client";
import { serverOf } from "../../connection/connect.ts";
import { usageError } from "../../failures.ts";
import { checkNamed, discover, type Discovery } from "../../upload/sources/discover.ts";
import { runUpload } from "../../upload/run.ts";
import { days, meta, repeated, wholeNumber } from "../flag-values.ts";
import { openReport } from "../../upload/results/results.ts";
import { inputWord, type Source, type Unreadable } from "../../upload/sources/source.ts";
import type { Source as Input } from "../../command-io.ts";
import {
  type ClientFlags,
  type Context,
  openSession,
  type WaitingFlags,
  withClient,
  withExamples,
  withWaiting,
} from "../command.ts";
import type { Expected } from "../../upload/progress/board.ts";

interface UploadFlags extends ClientFlags, WaitingFlags {
  readonly vectorize?: true;
  readonly expiresInDays?: number;
  readonly meta?: Metadata;
  readonly callbackUrl?: string;
  readonly ifExists?: "create" | "return";
  readonly recursive?: true;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly name?: string;
  readonly force?: true;
  readonly atOnce: number;
  readonly report?: string;
}

/** For more files than this, logs do not show every step of every document. */
const fewFiles = 8;

export function defineUpload(command: Command, context: Context): void {
  const described = command.argument(
    "<file...>",
    "documents (pdf, docx, pptx, xlsx), folders with -r, addresses (https://…) that the service fetches, or - for standard input",
  );
  withExamples(withClient(described), [
    ["drs upload manual.pdf --vectorize", "upload, make searchable, and wait until it is done"],
    ["drs upload -r archive --at-once 8", "every document in a folder; only new ones if repeated"],
    ["drs upload -r archive --include '*.pdf' --exclude drafts", "only PDFs, but no folders called drafts"],
    ["drs upload -r archive --report archive.ndjson", "with the result of every file as lines of JSON in a file"],
    ["drs upload https://example.com/a.pdf", "the service fetches it"],
    ["make-report | drs upload - --name report.docx", "the output of another program"],
    ["drs upload *.pdf --no-wait --json", "one line of JSON per accepted file, then a summary"],
    ["drs upload report.pdf --expires-in-days 7", "deleted automatically after a week"],
    [
      "drs upload *.pdf --no-wait --callback-url https://example.com/hooks/drs",
      "notifies that address when they are ready",
    ],
    ["drs upload *.pdf --meta customer=42 --meta tags=draft", "with metadata for filters"],
  ]);
  withWaiting(command, "the documents are accepted")
    .option("-r, --recursive", "include subfolders; hidden files and folders are skipped, links are followed")
    .option("--include <pattern>", "in folders, only matching files (default: the four formats); repeatable", repeated)
    .option("--exclude <pattern>", "in folders, no matching files or folders; repeatable", repeated)
    .option("--name <name>", "the document's name, for standard input or a single file")
    .option("--vectorize", "also make every page searchable")
    .option("--force", "also send documents whose content is already stored")
    .addOption(
      new Option(
        "--if-exists <what>",
        "for content that is already stored: return lets the service return the existing dataset, also for standard input; create is the same as --force",
      ).choices(["return", "create"]),
    )
    .addOption(
      new Option("--at-once <n>", "how many documents to send at the same time, 1 to 64")
        .argParser(wholeNumber(1, 64))
        .default(4),
    )
    .addOption(
      new Option(
        "--expires-in-days <days>",
        "days until the documents are deleted; -1 means never (default: never)",
      ).argParser(days),
    )
    .option("--meta <name=value>", "metadata of the documents, for filters: year=2024, tags=draft; repeatable", meta)
    .option("--callback-url <url>", "notify this address when the job of each document has ended, signed like webhooks")
    .option("--report <file>", "write the result of every file to this file, as lines of JSON")
    .addHelpText("after", notes)
    .action((words: readonly string[], flags: UploadFlags) => upload(words, flags, context));
}

async function upload(words: readonly string[], flags: UploadFlags, context: Context): Promise<void> {
  const { io } = context;
  // stdin is opened only if it is needed.
  const input = words.includes(inputWord) ? io.stdin : undefined;
  await checkWords(words, flags, input);
  const session = await openSession(flags, context);
  const report = flags.report === undefined ? undefined : await openReport(flags.report);
  const { include = [], exclude = [], recursive = false } = flags;
  const discovery: Discovery = { include, exclude, recursive, input, signal: io.signal };
  let leftOut = 0;
  const onLeftOut = (): void => {
    leftOut += 1;
  };
  context.finish(
    await runUpload(session, {
      sources: discover(words, { ...discovery, onLeftOut }),
      expect: () => countAhead(discover(words, discovery)),
      leftOut: () => leftOut,
      server: await serverOf(flags, io),
      single: words.length === 1 && !recursive,
      brief: recursive || words.length > fewFiles,
      vectorize: flags.vectorize === true,
      wait: flags.wait !== false,
      force: flags.force === true || flags.ifExists === "create",
      expiresInDays: flags.expiresInDays,
      metadata: flags.meta,
      callbackUrl: flags.callbackUrl,
      ifExists: flags.ifExists,
      fileName: flags.name,
      atOnce: flags.atOnce,
      retryTimeoutMs: flags.retryTimeout * 1000,
      report,
    }),
  );
}

const notes = `
A pattern without a slash matches names (*.pdf, drafts), one with a slash matches paths in the folder (2026/**/*.pdf);
case is ignored.

Files whose content the service already has are skipped, unless --force is given. That needs a key with the read scope. With
--if-exists return the service itself compares the content: this works with any key that may write, also for standard input
and for documents that other clients send meanwhile. Documents over 32 MB are sent in parts: after an interruption, run the
same command again or drs uploads resume.

With --json, and in reports, each file is a line {"file", "outcome", …} with "outcome" uploaded, vectorized, skipped or
failed; the last line is {"summary": {…}}, but not with --json and a single document.

Exits with 0 if everything succeeded, 3 if some files or pages failed, 1 if all files failed, 130 if interrupted.`;

/** Rejects contradictory arguments before anything is sent. */
async function checkWords(words: readonly string[], flags: UploadFlags, input: Input | undefined): Promise<void> {
  const { recursive = false, include, exclude, name, force, ifExists } = flags;
  if (!recursive && (include !== undefined || exclude !== undefined))
    throw usageError("--include and --exclude work only with folders", "name a folder, and add -r");
  if (name !== undefined && (words.length > 1 || recursive))
    throw usageError("--name works only with a single document", "upload it alone");
  if (force === true && ifExists === "return")
    throw usageError("--force and --if-exists return contradict each other", "leave one out");
  await checkNamed(words, { recursive, input });
}

/** Counts the documents while they are uploaded; it keeps only the totals. */
function countAhead(sources: AsyncIterable<Source | Unreadable>): () => Expected {
  let expected: Expected = { files: 0, bytes: 0, complete: false };
  const count = async (): Promise<void> => {
    for await (const source of sources) {
      const bytes = source.kind === "file" ? source.size : 0;
      expected = { ...expected, files: expected.files + 1, bytes: expected.bytes + bytes };
    }
    expected = { ...expected, complete: true };
  };
  // The upload itself reports whatever cannot be counted.
  count().catch(() => undefined);
  return () => expected;
}
