import { type Command, Option } from "commander";
import type { Metadata } from "@drs/client";
import { serverOf } from "../connection/connect.ts";
import { usageError } from "../failures.ts";
import { countAhead } from "../upload/sources/count-ahead.ts";
import { checkNamed, discover, type Discovery } from "../upload/sources/discover.ts";
import { runUpload } from "../upload/run.ts";
import { meta } from "../metadata/meta.ts";
import { openReport } from "../upload/results/report.ts";
import { inputWord } from "../upload/sources/source.ts";
import type { Source } from "../world.ts";
import { type ClientFlags, type Context, openSession, withClient, withExamples } from "./command.ts";
import { days, repeated, wholeNumber } from "./flag-values.ts";
import { type WaitingFlags, withWaiting } from "./waiting.ts";

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
    "documents (pdf, docx, pptx, xlsx), folders with -r, addresses (https://…) that the service fetches, - for standard input",
  );
  withExamples(withClient(described), [
    ["drs upload manual.pdf --vectorize", "upload, make searchable, wait until it is"],
    ["drs upload -r archive --at-once 8", "every document in a folder; again: only what is new"],
    ["drs upload -r archive --include '*.pdf' --exclude drafts", "PDFs only, and none of the folders called drafts"],
    ["drs upload -r archive --report archive.ndjson", "what came of every file, as lines of JSON in a file"],
    ["drs upload https://example.com/a.pdf", "the service fetches it"],
    ["make-report | drs upload - --name report.docx", "what another program writes"],
    ["drs upload *.pdf --no-wait --json", "one line of JSON per accepted file, then a summary"],
    ["drs upload report.pdf --expires-in-days 7", "deleted by itself after a week"],
    [
      "drs upload *.pdf --no-wait --callback-url https://example.com/hooks/drs",
      "that address is told when they are ready",
    ],
    ["drs upload *.pdf --meta customer=42 --meta tags=draft", "with what filters can find them by"],
  ]);
  withWaiting(command, "the documents are accepted")
    .option("-r, --recursive", "enter folders; hidden files and folders are left out, links are followed")
    .option("--include <pattern>", "of folders, only files like this (default: the four formats); repeatable", repeated)
    .option("--exclude <pattern>", "of folders, no files and no folders like this; repeatable", repeated)
    .option("--name <name>", "the document's name, for standard input or a single file")
    .option("--vectorize", "make every page searchable as well")
    .option("--force", "send also what is there already with the same content")
    .addOption(
      new Option(
        "--if-exists <what>",
        "of the same content: return has the service answer with what is there, of standard input too; create is --force",
      ).choices(["return", "create"]),
    )
    .addOption(
      new Option("--at-once <n>", "how many to send at the same time, 1 to 64")
        .argParser(wholeNumber(1, 64))
        .default(4),
    )
    .addOption(
      new Option(
        "--expires-in-days <days>",
        "days until the documents are deleted; -1: never (default: never)",
      ).argParser(days),
    )
    .option("--meta <name=value>", "say this of the documents, for filters: year=2024, tags=draft; repeatable", meta)
    .option("--callback-url <url>", "tell this address when the job of each document has ended, signed as webhooks are")
    .option("--report <file>", "write what came of every file to this file, as lines of JSON")
    .addHelpText("after", notes)
    .action(async (words: readonly string[], flags: UploadFlags) => {
      const { world } = context;
      // stdin is opened only if it is needed.
      const input = words.includes(inputWord) ? world.stdin : undefined;
      await checkWords(words, flags, input);
      const session = await openSession(flags, context);
      const report = flags.report === undefined ? undefined : await openReport(flags.report);
      const { include = [], exclude = [], recursive = false } = flags;
      const discovery: Discovery = { include, exclude, recursive, input, signal: world.signal };
      let leftOut = 0;
      const onLeftOut = (): void => {
        leftOut += 1;
      };
      context.finish(
        await runUpload(session, {
          sources: discover(words, { ...discovery, onLeftOut }),
          expect: () => countAhead(discover(words, discovery)),
          leftOut: () => leftOut,
          server: await serverOf(flags, world),
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
          patienceMs: flags.patience * 1000,
          report,
        }),
      );
    });
}

const notes = `
Patterns: one without a slash is about names (*.pdf, drafts), one with a slash about paths in the folder (2026/**/*.pdf);
case does not count.

What the service has with the same content is skipped, unless --force is given. That takes a key that may read, and is about
files; with --if-exists return the service itself looks, with any key that may write, also for standard input and for what another
client sends meanwhile. Documents over 32 MB go up in parts: after
an interruption the same command goes on where it stopped, and so does drs uploads resume.

With --json, and in reports, each file is a line {"file", "outcome", …} with "outcome" uploaded, vectorized, skipped or
failed; the last line is {"summary": {…}}, but not with --json and a single document.

Exits with 0 if everything succeeded, 3 if some files or pages failed, 1 if all files failed, 130 if interrupted.`;

/** Rejects contradictory arguments before anything is sent. */
async function checkWords(words: readonly string[], flags: UploadFlags, input: Source | undefined): Promise<void> {
  const { recursive = false, include, exclude, name, force, ifExists } = flags;
  if (!recursive && (include !== undefined || exclude !== undefined))
    throw usageError("--include and --exclude choose from folders", "name a folder, with -r in front");
  if (name !== undefined && (words.length > 1 || recursive))
    throw usageError("--name is the name of one document", "upload it alone");
  if (force === true && ifExists === "return")
    throw usageError("--force sends what --if-exists return would not", "leave one out");
  await checkNamed(words, { recursive, input });
}
