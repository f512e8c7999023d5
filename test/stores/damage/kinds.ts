import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Something that can happen to the files of a table. */
export interface Kind {
  readonly what: string;
  harm(table: string): void;
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.toSorted((one, other) => statSync(one).mtimeMs - statSync(other).mtimeMs);
}

/** The newest first, as LanceDB names them. */
const manifests = (table: string): string[] =>
  filesIn(join(table, "_versions"))
    .filter((path) => path.endsWith(".manifest"))
    .toSorted();

const largestOfIndex = (table: string): string[] =>
  filesIn(join(table, "_indices"))
    .toSorted((one, other) => statSync(other).size - statSync(one).size)
    .slice(0, 1);

/** Other bytes of the same length, from one offset to another from the end. */
function scramble(path: string, from = 0, untilEnd = 0): void {
  const bytes = readFileSync(path);
  for (let at = from; at < bytes.length - untilEnd; at++) bytes[at] = (at * 167 + 13) % 251;
  writeFileSync(path, bytes);
}

const harms = {
  missing: (path: string) => rmSync(path),
  empty: (path: string) => truncateSync(path),
  garbage: (path: string) => scramble(path),
  "cut short": (path: string) => truncateSync(path, Math.floor(statSync(path).size / 2)),
} as const;

type Harm = keyof typeof harms;

const parts: readonly (readonly [
  part: string,
  pathsIn: (table: string) => readonly string[],
  harms: readonly Harm[],
])[] = [
  [
    "the newest data file",
    (table) => filesIn(join(table, "data")).slice(-1),
    ["missing", "empty", "garbage", "cut short"],
  ],
  ["each data file", (table) => filesIn(join(table, "data")), ["missing", "garbage"]],
  ["each file of removed rows", (table) => filesIn(join(table, "_deletions")), ["missing", "garbage"]],
  ["each manifest", manifests, ["missing", "garbage"]],
  ["the newest manifest", (table) => manifests(table).slice(0, 1), ["empty", "garbage", "cut short"]],
  ["each file of an index", (table) => filesIn(join(table, "_indices")), ["missing", "garbage"]],
  ["the largest file of an index", largestOfIndex, ["missing", "empty", "garbage", "cut short"]],
];

export const kinds: readonly Kind[] = [
  { what: "the folder of all tables is missing", harm: (table) => rmSync(dirname(table), { recursive: true }) },
  { what: "the folder of the table is missing", harm: (table) => rmSync(table, { recursive: true }) },
  ...["_versions", "data", "_indices"].map((folder) => ({
    what: `there is no folder ${folder}`,
    harm: (table: string) => rmSync(join(table, folder), { recursive: true }),
  })),
  ...parts.flatMap(([part, pathsIn, hows]) =>
    hows.map((how) => ({
      what: `${part} is ${how}`,
      harm: (table: string) => pathsIn(table).forEach((path) => harms[how](path)),
    })),
  ),
];

/** LanceDB goes on with the version before, and nothing tells it from the newest. */
export const newestManifestLost = (table: string): void =>
  manifests(table)
    .slice(0, 1)
    .forEach((path) => rmSync(path));
