import type { Command } from "commander";
import type { Dataset } from "@drs/client";
import { exitCodes } from "../exit-codes.ts";
import { count, formatBytes, formatTime } from "../output/amounts.ts";
import { printPage } from "../output/output.ts";
import { printable } from "../output/printable.ts";
import type { Column } from "../output/table.ts";
import { watchToEnd } from "../upload/job-progress.ts";
import {
  type ClientFlags,
  type Context,
  openSession,
  type PagingFlags,
  withClient,
  withExamples,
  withPaging,
  words,
} from "./command.ts";

const columns: readonly Column<Dataset>[] = [
  { title: "DATASET", value: ({ id }) => id },
  { title: "NAME", maxColumns: 48, value: ({ fileName }) => fileName },
  { title: "PAGES", align: "right", value: ({ itemCount }) => String(itemCount) },
  { title: "SIZE", align: "right", value: ({ fileSize }) => formatBytes(fileSize) },
  { title: "CREATED", value: ({ createdAt }) => formatTime(createdAt) },
  { title: "EXPIRES", value: ({ expiresAt }) => (expiresAt === null ? "never" : formatTime(expiresAt)) },
];

function datasetLines(dataset: Dataset): string[] {
  return [
    `dataset  ${dataset.id}`,
    `name     ${printable(dataset.fileName)}`,
    `type     ${dataset.mimeType}`,
    `pages    ${dataset.itemCount}`,
    `size     ${formatBytes(dataset.fileSize)} (${dataset.fileSize} bytes)`,
    `created  ${formatTime(dataset.createdAt)}`,
    `expires  ${dataset.expiresAt === null ? "never" : formatTime(dataset.expiresAt)}`,
    `link     ${dataset.share.url} (until ${formatTime(dataset.share.expiresAt)})`,
  ];
}

export function defineDatasets(command: Command, context: Context): void {
  const list = withExamples(
    withPaging(withClient(command.command("list").description("list stored documents, newest first"))),
    [
      ["drs datasets list --sort -fileSize", "the largest first"],
      ["drs datasets list --limit 100 --json", "a page of them for a program"],
    ],
  );
  list.option(
    "--sort <list>",
    "createdAt, updatedAt, expiresAt, fileName, fileSize, itemCount; - in front for descending",
    words,
  );
  list.action(async (flags: ClientFlags & PagingFlags & { sort?: readonly string[] }) => {
    const { drs, output, world } = await openSession(flags, context);
    const page = await drs.datasets.page(
      { sort: flags.sort, offset: flags.offset, limit: flags.limit },
      { signal: world.signal },
    );
    printPage(output, page, columns, "no datasets yet; add one with: drs upload FILE");
  });

  withExamples(
    withClient(command.command("get").description("show one dataset").argument("<dataset>", "dataset id, ds_…")),
    [["drs datasets get ds_01K0", "name, pages, size and a link to the file"]],
  ).action(async (id: string, flags: ClientFlags) => {
    const { drs, output, world } = await openSession(flags, context);
    const dataset = await drs.datasets.get(id, { signal: world.signal });
    output.result(dataset, () => datasetLines(dataset));
  });

  const vectorize = withExamples(
    withClient(
      command
        .command("vectorize")
        .description("make the pages of a dataset searchable")
        .argument("<dataset>", "dataset id, ds_…"),
    ),
    [["drs datasets vectorize ds_01K0 --wait", "returns when it can be searched"]],
  );
  vectorize
    .option("--wait", "follow the job to its end")
    .option("--no-wait", "return when the job is accepted (default)");
  vectorize.action(async (id: string, flags: ClientFlags & { wait?: boolean }) => {
    const session = await openSession(flags, context);
    const accepted = await session.drs.datasets.vectorize(id, { signal: session.world.signal });
    if (flags.wait !== true) {
      session.output.result(accepted, () => [
        `${accepted.id} makes ${id} searchable; follow it with: drs jobs watch ${accepted.id}`,
      ]);
      return;
    }
    const job = await watchToEnd(session, accepted.id, id);
    const failed = job.failures.length === 0 ? "" : `, without ${count(job.failures.length, "page")} that failed`;
    session.output.line(
      job.status === "ERROR" ? `${id} could not be vectorized: ${job.statusText}` : `${id} can be searched${failed}`,
    );
    context.finish(job.status === "ERROR" ? exitCodes.failed : failed === "" ? exitCodes.ok : exitCodes.partly);
  });

  withExamples(
    withClient(
      command
        .command("delete")
        .description("delete datasets with everything made from them")
        .argument("<dataset...>", "dataset ids, ds_…"),
    ),
    [["drs datasets delete ds_01K0 ds_01K1", "gone from lists and search at once"]],
  ).action(async (ids: readonly string[], flags: ClientFlags) => {
    const { drs, output, world } = await openSession(flags, context);
    for (const id of ids) {
      const deleted = await drs.datasets.delete(id, { signal: world.signal });
      output.event(deleted);
      output.line(`${deleted.id} is deleted, ${formatBytes(deleted.freedBytes)} freed`);
    }
  });
}
