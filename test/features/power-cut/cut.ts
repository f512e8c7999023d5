import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Recording } from "./recorder.ts";

/** Changes of names, as `shim.c` notes them. */
type NameChange =
  | { readonly kind: "C" | "M"; readonly path: string }
  | { readonly kind: "R"; readonly kept: string; readonly from: string; readonly path: string }
  | { readonly kind: "L"; readonly path: string }
  | { readonly kind: "U"; readonly kept: string; readonly path: string };

/** The parts of the files that are certainly on disk. */
interface Durable {
  /** By inode, bytes. */
  readonly sizes: ReadonlyMap<number, number>;
  /** Since the last sync of their folder, in the order in which they were made. */
  readonly names: readonly NameChange[];
}

/** Inodes and sizes of what is on disk before a process begins. */
export function sizesIn(root: string): Map<number, number> {
  const sizes = new Map<number, number>();
  for (const path of filesIn(root)) {
    const { ino, size } = lstatSync(path);
    sizes.set(ino, size);
  }
  return sizes;
}

/**
 * Changes the files to a state that a power cut could have left: what was not synced is there or not, as `random` decides.
 * Names of a folder that was not synced are lost from some change on; bytes of a file from some place on, but not before
 * the size at its last sync. Bytes that were written over others stay as they are.
 */
export function cutPower(
  { root, log, kept }: Recording,
  before: ReadonlyMap<number, number>,
  random: () => number,
): void {
  const { sizes, names } = readLog(log, before);
  const lost = loseNames(names, random);
  for (const change of lost.toReversed()) undo(change, kept);
  for (const path of filesIn(root)) {
    const { ino, size } = lstatSync(path);
    const durable = Math.min(sizes.get(ino) ?? 0, size);
    const fate = random();
    // Mostly all that was not synced, sometimes some of it, sometimes nothing.
    const left = fate < 0.6 ? durable : fate < 0.85 ? durable + Math.floor(random() * (size - durable)) : size;
    if (left < size) truncateSync(path, left);
  }
}

function readLog(log: string, before: ReadonlyMap<number, number>): Durable {
  const sizes = new Map(before);
  let names: NameChange[] = [];
  for (const line of readFileSync(log, "utf8").split("\n")) {
    const [first = "", second = "", third = ""] = line.slice(2).split("\t");
    switch (line[0]) {
      case "S":
      case "T": {
        const [ino = 0, size = 0] = first.split(" ").map(Number);
        sizes.set(ino, line[0] === "S" ? size : Math.min(size, sizes.get(ino) ?? 0));
        break;
      }
      case "D":
        names = names.filter(({ path }) => dirname(path) !== first);
        break;
      case "C":
      case "M":
        names.push({ kind: line[0], path: first });
        break;
      case "R":
        names.push({ kind: "R", kept: first, from: second, path: third });
        break;
      case "L":
        names.push({ kind: "L", path: second });
        break;
      case "U":
        names.push({ kind: "U", kept: first, path: second });
    }
  }
  return { sizes, names };
}

/** Returns the lost changes: in each folder those after a random point. */
function loseNames(names: readonly NameChange[], random: () => number): readonly NameChange[] {
  const folders = Map.groupBy(names, ({ path }) => dirname(path));
  const lost = new Set<NameChange>();
  for (const changes of folders.values()) {
    const fate = random();
    const from = fate < 0.5 ? 0 : fate < 0.8 ? Math.floor(random() * (changes.length + 1)) : changes.length;
    for (const change of changes.slice(from)) lost.add(change);
  }
  return names.filter((change) => lost.has(change));
}

function undo(change: NameChange, kept: string): void {
  const { kind, path } = change;
  // The folder itself has been lost.
  if (!existsSync(dirname(path))) return;
  if (kind === "R") {
    if (existsSync(path)) {
      if (existsSync(dirname(change.from))) renameSync(path, change.from);
      else rmSync(path, { recursive: true });
    }
    restore(change.kept);
  } else if (kind === "U") {
    restore(change.kept);
  } else {
    rmSync(path, { recursive: true, force: true });
  }

  function restore(name: string): void {
    if (name !== "-" && existsSync(join(kept, name)) && !existsSync(path)) linkSync(join(kept, name), path);
  }
}

function filesIn(root: string): readonly string[] {
  mkdirSync(root, { recursive: true });
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
