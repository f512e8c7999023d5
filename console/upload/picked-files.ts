import type { PickedFile } from "./entry.ts";

/** Extensions of files that the service reads. */
const readable = /\.(?:pdf|docx|dotx|docm|dotm|pptx|ppsx|potx|pptm|ppsm|potm|xlsx|xltx|xlsm|xltm)$/i;

/** Files that were dropped or chosen, and those of them that are not documents. */
export interface Picked {
  readonly files: readonly PickedFile[];
  /** Names of files outside of folders that the service does not read. */
  readonly unknown: readonly string[];
  readonly empty: readonly string[];
  /** The number of files in folders that were skipped. */
  readonly passedOver: number;
}

interface Candidate extends PickedFile {
  readonly isOfFolder: boolean;
}

/** Sorts the files of an input. `webkitRelativePath` shows whether they come from a folder. */
export const pickedOfInput = (files: readonly File[]): Picked =>
  sorted(files.map((file) => ({ file, isOfFolder: file.webkitRelativePath !== "" })));

/** Returns the files of a drop, including those in folders. Must be called while the event is handled. */
export async function pickedOfDrop(transfer: DataTransfer): Promise<Picked> {
  const dropped = [...transfer.items]
    .filter(({ kind }) => kind === "file")
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile(), handle: handleOf(item) }));
  const found = await Promise.all(
    dropped.map(async ({ entry, file, handle }): Promise<readonly Candidate[]> => {
      if (entry?.isDirectory === true) return (await filesBelow(entry)).map((file) => ({ file, isOfFolder: true }));
      const kept = await handle;
      return file === null ? [] : [{ file, isOfFolder: false, ...(kept && { handle: kept }) }];
    }),
  );
  return sorted(found.flat());
}

function sorted(candidates: readonly Candidate[]): Picked {
  const isKnown = ({ file }: Candidate): boolean => readable.test(file.name) && file.size > 0;
  const others = candidates.filter((candidate) => !isKnown(candidate));
  const single = others.filter(({ isOfFolder }) => !isOfFolder).map(({ file }) => file);
  return {
    files: candidates.filter(isKnown),
    unknown: single.filter(({ name }) => !readable.test(name)).map(({ name }) => name),
    empty: single.filter(({ name, size }) => readable.test(name) && size === 0).map(({ name }) => name),
    passedOver: others.length - single.length,
  };
}

/** Returns a handle, if the browser has them, to read the file again after a reload. */
async function handleOf(item: DataTransferItem): Promise<FileSystemFileHandle | undefined> {
  if (!("getAsFileSystemHandle" in item) || typeof item.getAsFileSystemHandle !== "function") return undefined;
  try {
    const handle: unknown = await item.getAsFileSystemHandle();
    return handle instanceof FileSystemFileHandle ? handle : undefined;
  } catch {
    return undefined;
  }
}

const isDirectory = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;
const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;

async function filesBelow(entry: FileSystemEntry): Promise<readonly File[]> {
  if (isFile(entry)) return [await new Promise<File>((resolve, reject) => entry.file(resolve, reject))];
  if (!isDirectory(entry)) return [];
  const reader = entry.createReader();
  const files: File[] = [];
  while (true) {
    // Browsers return a hundred entries at a time, and none at the end.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return files;
    files.push(...(await Promise.all(entries.map(filesBelow))).flat());
  }
}

/** Methods of file handles that only some browsers have. */
interface Permissions {
  queryPermission(): Promise<PermissionState>;
  requestPermission(): Promise<PermissionState>;
}

const hasPermissions = (handle: FileSystemFileHandle): handle is FileSystemFileHandle & Permissions =>
  "queryPermission" in handle && "requestPermission" in handle;

/**
 * Returns the file of a stored handle; undefined if it may not be read, or is gone. If `isAsked`, the browser asks the person,
 * which is allowed only after a click.
 */
export async function fileOf(handle: FileSystemFileHandle, isAsked: boolean): Promise<File | undefined> {
  try {
    if (hasPermissions(handle)) {
      const state = await (isAsked ? handle.requestPermission() : handle.queryPermission());
      if (state !== "granted") return undefined;
    }
    return await handle.getFile();
  } catch {
    return undefined;
  }
}
