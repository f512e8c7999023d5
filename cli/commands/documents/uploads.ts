import type { Drs } from "@drs/client";
import { type Command, Option } from "commander";
import { serverOf } from "../../connection/connect.ts";
import { isDrsError, usageError } from "../../failures.ts";
import { formatBytes, formatDuration } from "../../output/amounts.ts";
import { type Column, tableLines } from "../../output/table.ts";
import { runUpload } from "../../upload/run.ts";
import {
  openSavedUploads,
  type SavedUpload,
  type SavedUploads,
  savedUploadsIn,
} from "../../upload/sessions/saved-uploads.ts";
import {
  sourcesOf,
  type UnfinishedUpload,
  unfinishedUploads,
  uploadsToResume,
} from "../../upload/sessions/unfinished.ts";
import { workspaceOf } from "../../connection/workspace.ts";
import {
  type ClientFlags,
  type Context,
  openSession,
  type WaitingFlags,
  withClient,
  withExamples,
  withWaiting,
} from "../command.ts";
import { wholeNumber } from "../flag-values.ts";

interface ChoiceFlags extends ClientFlags {
  readonly all?: true;
}

interface ResumeFlags extends ChoiceFlags, WaitingFlags {
  readonly atOnce: number;
}

const columns: readonly Column<UnfinishedUpload>[] = [
  { title: "UPLOAD", value: ({ key }) => key },
  { title: "FILE", maxColumns: 36, value: ({ path, fileName }) => path ?? fileName },
  {
    title: "SENT",
    align: "right",
    value: ({ receivedBytes, fileSize }) =>
      `${formatBytes(receivedBytes)} of ${fileSize === null ? "?" : formatBytes(fileSize)}`,
  },
  { title: "AGE", align: "right", value: ({ createdAt }) => formatDuration(Date.now() - createdAt) },
  { title: "STATE", value: ({ state }) => state },
];

/** Returns advice on how to continue the listed uploads. */
function advice(uploads: readonly UnfinishedUpload[]): readonly string[] {
  const own = uploads.filter(({ state }) => state !== "elsewhere");
  const [first] = own;
  const which = own.length === 1 && first !== undefined ? first.key : "UPLOAD, or --all";
  return [
    ...(own.length === 0 ? [] : [`resume with: drs uploads resume ${which}`]),
    ...(own.length < uploads.length
      ? ["uploads from other machines can only be resumed there, because they need their file"]
      : []),
    ...(uploads.length === 0 ? [] : ["delete the sent parts with: drs uploads abort UPLOAD"]),
  ];
}

export function defineUploads(command: Command, context: Context): void {
  defineList(command, context);
  defineResume(command, context);
  defineAbort(command, context);
}

function defineList(command: Command, context: Context): void {
  withExamples(withClient(command.command("list").description("list unfinished uploads in parts")), [
    ["drs uploads list", "their progress, and how to resume them"],
  ]).action(async (flags: ClientFlags) => {
    const { drs, output, io } = await openSession(flags, context);
    const { own } = await savedOf(drs, flags, context);
    const data = await unfinishedUploads(drs, own, io.signal);
    output.result({ total: data.length, data }, () => tableLines(data, columns));
    if (output.json) return;
    if (data.length === 0) output.note("no unfinished uploads; only documents over 32 MB are sent in parts");
    for (const line of advice(data)) output.note(line);
  });
}

function defineResume(command: Command, context: Context): void {
  const resume = withExamples(
    withClient(
      command
        .command("resume")
        .description("resume interrupted uploads")
        .argument("[key]", "key of the upload, tmp_…; not needed if there is only one"),
    ),
    [
      ["drs uploads resume tmp_01K0", "sends the missing parts"],
      ["drs uploads resume --all", "all uploads started on this machine"],
    ],
  );
  withWaiting(resume, "the documents are accepted")
    .option("--all", "all uploads started on this machine")
    .addOption(
      new Option("--at-once <n>", "how many documents to send at the same time, 1 to 64")
        .argParser(wholeNumber(1, 64))
        .default(4),
    )
    .addHelpText("after", "\nThe file must be unchanged and in the same place. Exits like drs upload.")
    .action(async (key: string | undefined, flags: ResumeFlags) => {
      const session = await openSession(flags, context);
      const { server, own } = await savedOf(session.drs, flags, context);
      const chosen = uploadsToResume(own, key, flags.all === true);
      if (chosen.length === 0) {
        session.output.note("there are no unfinished uploads from this machine");
        return;
      }
      context.finish(
        await runUpload(session, {
          sources: sourcesOf(chosen),
          expect: () => () => ({
            files: chosen.length,
            bytes: chosen.reduce((sum, { size }) => sum + size, 0),
            complete: true,
          }),
          leftOut: () => 0,
          server,
          single: flags.all !== true,
          brief: false,
          // Interrupted uploads are finished even if the service has the same content.
          force: true,
          wait: flags.wait !== false,
          vectorize: false,
          expiresInDays: undefined,
          fileName: undefined,
          atOnce: flags.atOnce,
          retryTimeoutMs: flags.retryTimeout * 1000,
          report: undefined,
        }),
      );
    });
}

function defineAbort(command: Command, context: Context): void {
  withExamples(
    withClient(
      command
        .command("abort")
        .description("abort uploads and delete the parts that were sent")
        .argument("[keys...]", "keys of uploads, tmp_…"),
    ),
    [
      ["drs uploads abort tmp_01K0", "also one that was started on another machine"],
      ["drs uploads abort --all", "all uploads started on this machine"],
    ],
  )
    .option("--all", "all uploads started on this machine")
    .action(async (keys: readonly string[], flags: ChoiceFlags) => {
      if ((flags.all === true) === keys.length > 0)
        throw usageError("it is not clear which uploads to abort", "name keys, or use --all alone");
      const { drs, output, io } = await openSession(flags, context);
      const { saved, own } = await savedOf(drs, flags, context);
      const all = flags.all === true ? own.map(({ state }) => state.key) : keys;
      for (const key of all) {
        const wasOpen = await drs.uploads.abort(key, { signal: io.signal }).then(
          () => true,
          (cause: unknown) => {
            // Uploads that the service no longer knows are still deleted on this machine.
            if (isDrsError(cause) && cause.code === "not_found" && own.some(({ state }) => state.key === key))
              return false;
            throw cause;
          },
        );
        await saved.forget(key);
        output.event({ key, aborted: wasOpen });
        output.line(wasOpen ? `${key} is ended, its parts are deleted` : `${key} had ended already`);
      }
      if (all.length === 0) output.note("there are no unfinished uploads from this machine");
    });
}

/** Returns the saved uploads of this user, and those for the server and the workspace in use. */
async function savedOf(
  drs: Drs,
  flags: ClientFlags,
  { io }: Context,
): Promise<{ saved: SavedUploads; server: string; own: readonly SavedUpload[] }> {
  const server = await serverOf(flags, io);
  const saved = openSavedUploads(io.env);
  const ofServer = (await saved.list()).filter((upload) => upload.server === server);
  const own = ofServer.length === 0 ? [] : savedUploadsIn(ofServer, await workspaceOf(drs, io.signal)());
  return { saved, server, own };
}
