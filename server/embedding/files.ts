import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { type Manifest, readManifest } from "./manifest.ts";
import { PackError } from "./pack-error.ts";

/** Checks that each file exists and has the size in the manifest, which is cheap enough for every start. Throws `PackError`. */
export async function checkSizes(packDir: string, manifest: Manifest): Promise<void> {
  for (const { path, bytes } of manifest.files) {
    const found = await stat(join(packDir, path)).catch((cause: unknown) => {
      throw new PackError(`${path} of the model pack ${packDir} cannot be read; fetch the pack again`, { cause });
    });
    if (!found.isFile()) throw new PackError(`${path} of the model pack ${packDir} is not a file`);
    if (found.size !== bytes) {
      throw new PackError(
        `${path} of the model pack ${packDir} has ${found.size} bytes where its manifest says ${bytes}; fetch the pack again`,
      );
    }
  }
}

/** Reads every file to its end and compares its SHA-256 with the manifest's. Throws `PackError`. */
export async function verifyPack(packDir: string, signal?: AbortSignal): Promise<Manifest> {
  const manifest = await readManifest(packDir);
  await checkSizes(packDir, manifest);
  for (const { path, sha256 } of manifest.files) {
    const hash = createHash("sha256");
    await pipeline(createReadStream(join(packDir, path)), hash, { ...(signal && { signal }) });
    if (hash.digest("hex") === sha256) continue;
    throw new PackError(`${path} of the model pack ${packDir} has been changed: its SHA-256 is not the manifest's`);
  }
  return manifest;
}
