import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The process that holds a data folder, as it describes itself to other processes of the machine. */
export interface FolderOwner {
  readonly pid: number;
  /** A server, or a command that serves itself while it runs. */
  readonly kind: "server" | "command";
  /** The address at which it answers; undefined if it does not answer yet, or no longer does. */
  readonly address: FolderAddress | undefined;
}

export interface FolderAddress {
  readonly url: string;
  /**
   * The secret that the server proves it knows (`owner-proof.ts`); only processes that can read the data folder know
   * it. Undefined if a server of an older version, which can prove nothing, wrote the file.
   */
  readonly secret: string | undefined;
}

const pathIn = (dataDir: string): string => join(dataDir, "server.json");

/**
 * The owner's description of itself, or undefined. It is valid only while a process holds the folder's lock: a killed
 * owner leaves the file behind.
 */
export function readOwner(dataDir: string): FolderOwner | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(pathIn(dataDir), "utf8"));
  } catch {
    // The owner has the lock, but has not written the file yet.
    return undefined;
  }
  if (typeof parsed !== "object" || parsed === null) return undefined;
  const part = (name: string): unknown => Reflect.get(parsed, name);
  const [pid, kind, url, secret] = [part("pid"), part("kind"), part("url"), part("secret")];
  if (typeof pid !== "number" || (kind !== "server" && kind !== "command")) return undefined;
  const address =
    typeof url === "string" && URL.canParse(url)
      ? { url, secret: typeof secret === "string" && secret !== "" ? secret : undefined }
      : undefined;
  return { pid, kind, address };
}

/** Replaces the description atomically, so that no reader sees half of it. Only the holder of the lock may call this. */
export function writeOwner(dataDir: string, { pid, kind, address }: FolderOwner): void {
  const temporary = `${pathIn(dataDir)}.${process.pid}`;
  try {
    writeFileSync(temporary, `${JSON.stringify({ pid, kind, ...address })}\n`, { mode: 0o600 });
    renameSync(temporary, pathIn(dataDir));
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw cause;
  }
}

export function removeOwner(dataDir: string): void {
  rmSync(pathIn(dataDir), { force: true });
}
