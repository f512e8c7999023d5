import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { unprocessable } from "../../domain/errors.ts";
import { fileMode } from "../../storage/private-folder.ts";
import { ifThere } from "../if-there.ts";

const schema = z.object({
  /** Identifies this move. */
  id: z.string(),
  /** The last row of each table that is in the target. */
  rows: z.record(z.string(), z.array(z.union([z.string(), z.number()]))),
  /** Whether everything is in the target and both sides were found to be equal. */
  isCompared: z.boolean(),
});

/** The progress of a move: `move.json` in the target's data folder. */
export type MoveState = z.infer<typeof schema>;

const pathIn = (dataDir: string): string => join(dataDir, "move.json");

/** Undefined if no move has begun. */
export async function readMoveState(dataDir: string): Promise<MoveState | undefined> {
  const text = await ifThere(readFile(pathIn(dataDir), "utf8"));
  if (text === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw unprocessable(`${pathIn(dataDir)} cannot be read; empty the target and remove it to begin anew`);
  }
}

export async function writeMoveState(dataDir: string, state: MoveState): Promise<void> {
  const temporary = `${pathIn(dataDir)}.${process.pid}`;
  await writeFile(temporary, JSON.stringify(state), { mode: fileMode, flush: true });
  await rename(temporary, pathIn(dataDir));
}

export const removeMoveState = (dataDir: string): Promise<void> => rm(pathIn(dataDir), { force: true });
