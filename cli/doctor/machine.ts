import { access, constants, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { exposuresOf, lackOf, missingInstructions, modeText, processorAdvice } from "@drs/server/folder";
import { formatBytes } from "../output/amounts.ts";
import { type Check, fail, ok, reasonIn, warn } from "./check.ts";

/** The oldest Node version that drs runs on, as required by `bin/drs.js`. */
const neededMajor = 24;
/** With less free space, the rendition cache alone (10 GB by default) can soon fill the disk. */
const comfortableBytes = 5e9;
/** With less free space, not even one large document and its pages fit. */
const neededBytes = 200e6;

export function checkNode(version = process.versions.node): Check {
  const name = "node";
  if (Number.parseInt(version, 10) >= neededMajor) return ok(name, `Node ${version}`);
  return fail(
    name,
    `Node ${version} is too old`,
    `run "npm install" where drs is installed, which brings Node ${neededMajor} on Linux and Windows, or install Node ${neededMajor}`,
  );
}

/** Returns undefined if the processor has all instructions that the service needs. */
export function checkInstructions(missing = missingInstructions()): Check | undefined {
  return missing.length === 0 ? undefined : fail("processor", lackOf(missing), processorAdvice);
}

/** Checks the data folder, or the place where it will be created. */
export async function checkDataDir(dataDir: string): Promise<Check> {
  const name = "data folder";
  const exists = await stat(dataDir).catch(() => undefined);
  if (exists !== undefined && !exists.isDirectory())
    return fail(name, `${dataDir} is not a folder`, "choose another one with --data-dir or DRS_DATA_DIR");
  const place = exists === undefined ? await nearestFolder(dataDir) : dataDir;
  try {
    await access(place, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return fail(
      name,
      `${place} cannot be written`,
      "change its owner or permissions, or choose another folder with --data-dir or DRS_DATA_DIR",
    );
  }
  try {
    const { bavail, bsize } = await statfs(place);
    const free = bavail * bsize;
    const found = `${dataDir}${exists === undefined ? " (made by the first start)" : ""}, ${formatBytes(free)} free`;
    if (free < neededBytes) return fail(name, found, "free some space, or choose another folder with --data-dir");
    if (free < comfortableBytes)
      return warn(name, found, "free some space, or bound the rendition cache with --cache-bytes");
    return ok(name, found);
  } catch (cause) {
    return warn(name, `${dataDir}, free space unknown: ${reasonIn(cause)}`, "");
  }
}

/**
 * Checks what other users of this machine may do with the data folder; undefined if they may do nothing, or there is no
 * folder.
 */
export function checkPrivacy(dataDir: string): Check | undefined {
  const [first, ...others] = exposuresOf(dataDir);
  if (first === undefined) return undefined;
  const { path, mode, obstacle } = first;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  const found = `others on this machine can access ${path} (mode ${modeText(mode)})${more}`;
  return obstacle === undefined
    ? warn("privacy", found, `the next start of drs serve fixes that; to fix it now: chmod -R go-rwx ${dataDir}`)
    : warn(
        "privacy",
        `${found}: ${obstacle}`,
        "give drs a folder of its own that only its user may enter, with --data-dir",
      );
}

async function nearestFolder(path: string): Promise<string> {
  const parent = dirname(path);
  if (parent === path) return path;
  const found = await stat(parent).catch(() => undefined);
  return found?.isDirectory() === true ? parent : nearestFolder(parent);
}
