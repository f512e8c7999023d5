import type { Command } from "commander";
import type { Dataset, Deletion, Filter } from "@drs/client";
import { mapConcurrent } from "../../bounded.ts";
import { usageError } from "../../failures.ts";
import { count, formatAge, formatBytes, formatTime } from "../../output/amounts.ts";
import { extHelp, where, whereHelp, words } from "../flag-values.ts";
import { printable } from "../../output/printable.ts";
import type { Column } from "../../output/table.ts";
import { documentId, documentIds, documentName } from "../../documents/find-document.ts";
import { reasonOf, warningText } from "../../jobs/job-text.ts";
import { exitCodeOfJobs, watchJob } from "../../jobs/watch-jobs.ts";
import { type AgreementFlags, agrees, withAgreement } from "../agreement.ts";
import {
  type ClientFlags,
  type Context,
  openSession,
  type Session,
  type WaitingFlags,
  withClient,
  withExamples,
  withWaiting,
} from "../command.ts";
import { defineReplace, defineUpdate } from "./change-dataset.ts";
import { type ListFlags, printList, withList } from "../list.ts";

const columns: readonly Column<Dataset>[] = [
  { title: "DATASET", value: ({ id }) => id },
  { title: "NAME", minColumns: 12, value: ({ fileName }) => fileName },
  { title: "PAGES", align: "right", rank: 3, value: ({ itemCount }) => String(itemCount) },
  { title: "SIZE", align: "right", value: ({ fileSize }) => formatBytes(fileSize) },
  { title: "CREATED", rank: 2, value: ({ createdAt }) => formatAge(createdAt) },
  {
    title: "EXPIRES",
    rank: 1,
    value: ({ expiresAt }) => (expiresAt === null ? "never" : formatAge(expiresAt)),
  },
];

const datasetsAtOnce = 4;

function datasetLines(dataset: Dataset): string[] {
  return [
    `dataset  ${dataset.id}`,
    `name     ${printable(dataset.fileName)}`,
    `type     ${printable(dataset.mimeType)}`,
    `pages    ${dataset.itemCount}`,
    `size     ${formatBytes(dataset.fileSize)} (${dataset.fileSize} bytes)`,
    `created  ${formatTime(dataset.createdAt)}`,
    `expires  ${dataset.expiresAt === null ? "never" : formatTime(dataset.expiresAt)}`,
    ...Object.entries(dataset.metadata).map(([name, value]) => printable(`meta     ${name}=${shownValue(value)}`)),
    `link     ${printable(dataset.share.url)} (until ${formatTime(dataset.share.expiresAt)})`,
  ];
}

/** Writes a value the way `--meta` reads it. */
function shownValue(value: Dataset["metadata"][string]): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function defineDatasets(command: Command, context: Context): void {
  defineList(command, context);
  defineGet(command, context);
  defineUpdate(command, context);
  defineReplace(command, context);
  defineVectorize(command, context);
  defineDelete(command, context);
}

function defineList(command: Command, context: Context): void {
  const list = withExamples(
    withList(withClient(command.command("list").description("list stored documents, newest first"))),
    [
      ["drs datasets list --sort -fileSize", "the largest first"],
      ["drs datasets list --limit 100 --json", "a page of them for a program"],
      ["drs datasets list --all --json", "every one, one line of JSON each"],
      ["drs datasets list --where 'year>=2020' --where customer=42", "those with this metadata"],
      ["drs datasets list --ext xlsx --no-searchable", "spreadsheets that are not searchable yet"],
    ],
  );
  list.option(
    "--sort <list>",
    "createdAt, updatedAt, expiresAt, fileName, fileSize, itemCount; with - in front for descending",
    words,
  );
  list.option("--where <condition>", whereHelp, where);
  list.option("--ext <list>", extHelp, words);
  list.option("--searchable", "only documents whose pages searches find");
  list.option("--no-searchable", "only documents whose pages searches do not find");
  list.action(async (flags: ClientFlags & ListFlags & Narrowing) => {
    const { drs, output, io } = await openSession(flags, context);
    const { signal } = io;
    const { sort, where: filter, ext: fileExt, searchable } = flags;
    const narrowed = { sort, filter, fileExt, searchable };
    await printList(
      output,
      flags,
      {
        page: (query) => drs.datasets.page({ ...narrowed, ...query }, { signal }),
        entries: (query) => drs.datasets.list({ ...narrowed, ...query }, { signal }),
      },
      columns,
      filter === undefined && fileExt === undefined && searchable === undefined
        ? "no datasets yet; add one with: drs upload FILE"
        : "no matching datasets",
    );
  });
}

function defineGet(command: Command, context: Context): void {
  withExamples(
    withClient(
      command
        .command("get")
        .description("show one dataset")
        .argument("<dataset>", "dataset id, ds_…, or the name of its document"),
    ),
    [["drs datasets get ds_01K0", "name, pages, size and a link to the file"]],
  ).action(async (word: string, flags: ClientFlags) => {
    const { drs, output, io } = await openSession(flags, context);
    const id = await documentId(drs, word, io.signal);
    const dataset = await drs.datasets.get(id, { signal: io.signal });
    output.result(dataset, () => datasetLines(dataset));
  });
}

function defineVectorize(command: Command, context: Context): void {
  const vectorize = withExamples(
    withClient(
      command
        .command("vectorize")
        .description("make the pages of a dataset searchable")
        .argument("<dataset>", "dataset id, ds_…, or the name of its document"),
    ),
    [
      ["drs datasets vectorize manual.pdf", "returns when it is searchable"],
      ["drs datasets vectorize ds_01K0 --no-wait", "returns at once; a server does the work"],
    ],
  );
  withWaiting(vectorize, "the job is accepted").addHelpText(
    "after",
    "\nExits with 0 if all pages are searchable, 3 if some of them failed, 1 if the job failed.",
  );
  vectorize.action(async (word: string, flags: ClientFlags & WaitingFlags) => {
    const session = await openSession(flags, context);
    const { drs, output, io } = session;
    const { signal } = io;
    const id = await documentId(drs, word, signal);
    const accepted = await drs.datasets.vectorize(id, { signal });
    if (flags.wait === false) {
      output.result(accepted, () => [
        `${accepted.id} makes ${word} searchable; follow it with: drs jobs watch ${accepted.id}`,
      ]);
      return;
    }
    const label = output.json ? id : await documentName(drs, id, signal);
    const job = await watchJob(session, { id: accepted.id, label, retryTimeoutMs: flags.retryTimeout * 1000 });
    const failed = job.failures.length === 0 ? "" : `, without ${count(job.failures.length, "page")} that failed`;
    output.line(
      job.status === "ERROR" ? `${word} could not be vectorized: ${reasonOf(job)}` : `${word} can be searched${failed}`,
    );
    for (const warning of job.warnings) output.line(`  warning: ${warningText(warning)}`);
    context.finish(exitCodeOfJobs([job]));
  });
}

function defineDelete(command: Command, context: Context): void {
  withExamples(
    withAgreement(
      withClient(
        command
          .command("delete")
          .description("delete datasets with everything made from them")
          .argument("[dataset...]", "dataset ids, ds_…, or the names of their documents"),
      ),
    ),
    [
      ["drs datasets delete ds_01K0 ds_01K1", "removed from lists and searches at once"],
      ["drs datasets delete ds_01K0 --yes", "without confirmation, as scripts need it"],
      ["drs datasets delete --where 'year<2015' --dry-run", "shows how many match, and which"],
    ],
  )
    .option("--where <condition>", "all datasets whose metadata matches; repeatable", where)
    .option("--dry-run", "only show what would be deleted")
    .action(async (named: readonly string[], flags: DeleteFlags) => {
      if ((named.length === 0) === (flags.where === undefined)) {
        throw usageError("it is not clear what to delete", "name datasets, or use --where");
      }
      const session = await openSession(flags, context);
      if (flags.where !== undefined) return deleteWhere(session, flags, flags.where, context);
      const { drs, output, io } = session;
      const ids = await documentIds(drs, named, io.signal);
      if (flags.dryRun === true) return showDoomed(output, await drs.datasets.deleteMany({ ids }, dry(io.signal)));
      const question = `delete ${ids.length === 1 ? "it" : `these ${ids.length}`} for good?`;
      const show = (): Promise<void> => showNamed(session, ids);
      if (!(await agrees(question, flags, context, { show, next: orLook }))) return;
      for (const id of ids) {
        const deleted = await drs.datasets.delete(id, { signal: io.signal });
        output.event(deleted);
        output.line(`${deleted.id} is deleted, ${formatBytes(deleted.freedBytes)} freed`);
      }
    });
}

/** Flags that narrow a list down. */
interface Narrowing {
  readonly sort?: readonly string[];
  readonly where?: Filter;
  readonly ext?: readonly string[];
  readonly searchable?: boolean;
}

interface DeleteFlags extends ClientFlags, AgreementFlags {
  readonly dryRun?: true;
  readonly where?: Filter;
}

const orLook = "confirm with --yes, or preview with --dry-run";

const dry = (signal: AbortSignal) => ({ dryRun: true, signal });

/** Deletes the datasets that match a condition, after showing how many there are. */
async function deleteWhere(session: Session, flags: DeleteFlags, filter: Filter, context: Context): Promise<void> {
  const { drs, output, io } = session;
  const { signal } = io;
  const doomed = await drs.datasets.deleteMany({ filter }, dry(signal));
  if (flags.dryRun === true) return showDoomed(output, doomed);
  const { matching } = doomed;
  const question = `delete ${count(matching, "matching dataset")} for good?`;
  if (matching > 0 && !(await agrees(question, flags, context, { next: orLook }))) return;
  const deleted = await drs.datasets.deleteMany({ filter }, { signal });
  output.result(deleted, () => [
    `${count(deleted.ids.length, "dataset")} deleted, ${formatBytes(deleted.freedBytes)} freed`,
  ]);
}

function showDoomed(output: Session["output"], doomed: Deletion): void {
  const { matching, ids } = doomed;
  const more = matching > ids.length ? [`and ${matching - ids.length} more`] : [];
  output.result(doomed, () => [...ids, ...more, `${count(matching, "dataset")} would be deleted`]);
}

async function showNamed({ drs, output, io }: Session, ids: readonly string[]): Promise<void> {
  const { signal } = io;
  const datasets = await mapConcurrent(ids, datasetsAtOnce, (id) => drs.datasets.get(id, { signal }));
  for (const { id, fileName, itemCount } of datasets)
    output.note(`  ${printable(fileName)} (${id}, ${count(itemCount, "page")})`);
}
