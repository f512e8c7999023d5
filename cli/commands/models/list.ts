import type { Command } from "commander";
import type { Model, ModelState } from "@drs/client";
import { connectTo } from "../../connection/connect.ts";
import { targetOf } from "../../connection/target.ts";
import { checkFolderServer } from "../../doctor/service.ts";
import { count, formatBytes } from "../../output/amounts.ts";
import { createOutput } from "../../output/output.ts";
import { type Column, tableLines } from "../../output/table.ts";
import { settingsOf } from "../service/server-settings.ts";
import { type ClientFlags, type Context, withClient, withExamples } from "../command.ts";

/** A model pack in the list: on the server, on this machine if no server runs, or not downloaded yet. */
interface Row extends Pick<Model, "id" | "licence" | "languages" | "description" | "spaces"> {
  readonly place: string;
  readonly inUse: boolean;
  /** Null if the manifest does not state the size of its files. */
  readonly bytes: number | null;
  /** Approximate size of a pack that can be pulled. */
  readonly roughBytes?: number;
  /** Number of datasets that use it; null if no server runs. */
  readonly datasets: number | null;
  /** The argument for `drs models pull`; empty if the pack is already here. */
  readonly source: string;
}

const columns: readonly Column<Row>[] = [
  { title: "MODEL", value: ({ id }) => id },
  {
    title: "STATE",
    value: ({ inUse, place, source }) => (inUse ? "in use" : source === "" ? place : `pull ${source}`),
  },
  { title: "DATASETS", align: "right", value: ({ datasets }) => (datasets === null ? "–" : String(datasets)) },
  { title: "SIZE", align: "right", value: sizeText },
  { title: "LICENCE", value: ({ licence }) => licence },
  { title: "LANGUAGES", value: ({ languages }) => languagesText(languages) },
  {
    title: "SPACES",
    value: ({ spaces }) =>
      spaces.map(({ name, dimensions }) => (dimensions === 0 ? name : `${name} ${dimensions}`)).join(", "),
  },
];

export function defineList(command: Command, context: Context): void {
  withExamples(
    withClient(
      command
        .command("list")
        .description("list model packs: the one in use, installed ones, and ones that can be pulled"),
    ),
    [["drs models list", "STATE shows what can be done with each"]],
  ).action(async (flags: ClientFlags) => {
    const { io } = context;
    const output = createOutput(io, flags.json === true);
    const state = await serverState(flags, context);
    const here = state?.packs.map(rowOfServer) ?? (await rowsOfMachine(flags, context));
    const ready = (await readyRows()).filter(({ id }) => !here.some((row) => row.id === id));
    const data = [...here, ...ready];
    output.result({ inUse: state?.inUse ?? null, data, progress: state?.progress ?? null }, () =>
      tableLines(data, columns, output.style),
    );
    if (output.json) return;
    if (state === undefined) output.note("no server is running, so the pack in use is not known");
    else noteProgress(state, (text) => output.note(text));
  });
}

/** Returns the state of the server, or undefined if none runs. Listing the packs must not start one. */
async function serverState(flags: ClientFlags, { io, atEnd }: Context): Promise<ModelState | undefined> {
  const target = await targetOf(flags, io);
  if (target.kind === "folder" && !(await checkFolderServer(target.dataDir, io)).isRunning) return undefined;
  const { drs, close } = await connectTo(flags, io, () => undefined);
  atEnd(close);
  return drs.models.list({ signal: io.signal });
}

const rowOfServer = (model: Model): Row => ({ ...model, source: "" });

async function rowsOfMachine({ dataDir }: ClientFlags, { io }: Context): Promise<readonly Row[]> {
  const { openPackRegistry } = await import("@drs/server/packs");
  const { modelsDir } = settingsOf({ dataDir }, io);
  const packs = await openPackRegistry(modelsDir).list();
  return packs.map(({ id, place, about }) => ({
    id,
    place,
    inUse: false,
    datasets: null,
    source: "",
    ...about,
    spaces: about.spaces.map(({ name, kind, dimensions = 0 }) => ({ name, kind, dimensions })),
  }));
}

async function readyRows(): Promise<readonly Row[]> {
  const { aboutOf, packId, catalogNames, catalogPack } = await import("@drs/server/packs");
  // A pack that cannot be used reports the reason when it is pulled.
  const packs = (await catalogNames()).map((name) => catalogPack(name).catch(() => undefined));
  return (await Promise.all(packs)).flatMap((ready) => {
    if (ready === undefined) return [];
    const { name, manifest, files, roughBytes } = ready;
    const about = aboutOf(manifest);
    const isSized = files.every(({ bytes }) => bytes !== undefined);
    return {
      id: packId(manifest),
      place: "ready",
      inUse: false,
      datasets: null,
      source: name,
      ...about,
      bytes: isSized ? about.bytes : null,
      roughBytes,
      spaces: about.spaces.map(({ name: space, kind, dimensions = 0 }) => ({ name: space, kind, dimensions })),
    };
  });
}

function noteProgress({ progress, inUse }: ModelState, note: (text: string) => void): void {
  const { datasetsDone, datasetsTotal, datasetsFailed, failures } = progress;
  const left = datasetsTotal - datasetsDone - datasetsFailed;
  if (left > 0) note(`${count(left, "dataset")} of ${datasetsTotal} still to be embedded with ${inUse}`);
  for (const { datasetId, reason } of failures) note(`${datasetId} stays with its old pack: ${reason}`);
}

function sizeText({ bytes, roughBytes }: Row): string {
  if (bytes !== null) return formatBytes(bytes);
  return roughBytes === undefined ? "–" : `~${formatBytes(roughBytes)}`;
}

/** Shortens a long list of languages. */
function languagesText(languages: readonly string[]): string {
  return languages.length <= 4
    ? languages.join(", ")
    : `${languages.slice(0, 3).join(", ")} and ${languages.length - 3} more`;
}
