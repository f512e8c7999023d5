import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { manifestName, readManifest, versionOf } from "../../../server/storage/vectors/manifest.ts";

/** Something that can happen to the files of a table. */
export interface Kind {
  readonly what: string;
  /** What must still be there afterwards, of all rows; 0 where all can be lost. */
  readonly atLeast: number;
  /** False where nothing is lost of which there is a trace, so that it need not be reported. */
  readonly isReported?: boolean;
  harm(table: string): void;
}

const versionsOf = (table: string): readonly number[] =>
  readdirSync(join(table, "_versions"))
    .flatMap((name) => versionOf(name) ?? [])
    .sort((one, other) => other - one);
const manifestPath = (table: string, version = versionsOf(table)[0] ?? 0): string =>
  join(table, "_versions", manifestName(version));
const manifestOf = (table: string) => readManifest(readFileSync(manifestPath(table)));

/** Other bytes of the same length, from one offset to another from the end. */
function scramble(path: string, from = 0, untilEnd = 0): void {
  const bytes = readFileSync(path);
  for (let at = from; at < bytes.length - untilEnd; at++) bytes[at] = (at * 167 + 13) % 251;
  writeFileSync(path, bytes);
}

const dataFile = (table: string, at: number): string =>
  join(table, manifestOf(table).fragments.at(at)?.files[0]?.path ?? "");
const deletionFiles = (table: string): string[] =>
  manifestOf(table).fragments.flatMap(({ files }) => files.slice(1).map(({ path }) => join(table, path)));
const indexFiles = (table: string): string[] =>
  manifestOf(table).indices.flatMap(({ files }) => files.map(({ path }) => join(table, path)));

export const kinds: readonly Kind[] = [
  { what: "the newest manifest is empty", atLeast: 2_150, harm: (table) => truncateSync(manifestPath(table)) },
  { what: "the newest manifest is missing", atLeast: 2_150, harm: (table) => rmSync(manifestPath(table)) },
  { what: "the newest manifest is garbage", atLeast: 2_150, harm: (table) => scramble(manifestPath(table)) },
  {
    what: "the newest manifest is cut short",
    atLeast: 2_150,
    harm: (table) => truncateSync(manifestPath(table), statSync(manifestPath(table)).size - 100),
  },
  {
    what: "an old manifest is empty",
    atLeast: 2_200,
    harm: (table) => truncateSync(manifestPath(table, versionsOf(table)[2])),
  },
  {
    what: "all manifests are empty",
    atLeast: 0,
    harm: (table) => versionsOf(table).forEach((version) => truncateSync(manifestPath(table, version))),
  },
  {
    what: "there is no folder of manifests",
    atLeast: 0,
    harm: (table) => rmSync(join(table, "_versions"), { recursive: true }),
  },
  {
    what: "LanceDB's note of the newest version is garbage",
    atLeast: 2_200,
    isReported: false,
    harm: (table) => scramble(join(table, "_versions", "latest_version_hint.json")),
  },
  { what: "the newest data file is missing", atLeast: 2_150, harm: (table) => rmSync(dataFile(table, -1)) },
  { what: "the newest data file is empty", atLeast: 2_150, harm: (table) => truncateSync(dataFile(table, -1)) },
  { what: "the oldest data file is missing", atLeast: 50, harm: (table) => rmSync(dataFile(table, 0)) },
  { what: "a data file is garbage", atLeast: 2_150, harm: (table) => scramble(dataFile(table, -1)) },
  {
    what: "a data file is garbage but for its end",
    atLeast: 2_150,
    harm: (table) => scramble(dataFile(table, -1), 4, 1_000),
  },
  {
    what: "the files of removed rows are missing",
    atLeast: 50,
    harm: (table) => deletionFiles(table).forEach((path) => rmSync(path)),
  },
  {
    what: "the files of removed rows are empty",
    atLeast: 50,
    harm: (table) => deletionFiles(table).forEach((path) => truncateSync(path)),
  },
  {
    what: "the index files are missing",
    atLeast: 2_200,
    harm: (table) => indexFiles(table).forEach((path) => rmSync(path)),
  },
  {
    what: "one index file is empty",
    atLeast: 2_200,
    harm: (table) =>
      indexFiles(table)
        .slice(-1)
        .forEach((path) => truncateSync(path)),
  },
  {
    what: "the index files are garbage",
    atLeast: 2_200,
    harm: (table) => indexFiles(table).forEach((path) => scramble(path)),
  },
  { what: "the table's folder is missing", atLeast: 0, harm: (table) => rmSync(table, { recursive: true }) },
];
