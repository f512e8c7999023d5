import { unprocessable, unsupported } from "../../domain/errors.ts";
import { openArchiveFile } from "./folder.ts";
import { formatName, formatVersion, type Manifest, manifestSchema, pathOf } from "./format.ts";

/** Larger than any manifest. */
const maxBytes = 65_536;

/**
 * Throws `unprocessable` if the folder has no complete export, `unsupported` if its format is of another version.
 */
export async function readManifest(dir: string): Promise<Manifest> {
  const handle = await openArchiveFile(dir, pathOf.manifest).catch(() => {
    throw unprocessable(`${dir} holds no finished export: it has no ${pathOf.manifest}`);
  });
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(maxBytes), 0, maxBytes);
    const value: unknown = JSON.parse(buffer.toString("utf8", 0, bytesRead));
    const version: unknown = Reflect.get(Object(value), "version");
    if (Reflect.get(Object(value), "format") === formatName && typeof version === "number" && version > formatVersion)
      throw unsupported(`the export in ${dir} has version ${version} of its format; import it with a newer drs`);
    return manifestSchema.parse(value);
  } catch (cause) {
    if (cause instanceof Error && cause.name === "DomainError") throw cause;
    throw unprocessable(`${pathOf.manifest} in ${dir} is not that of an export`);
  } finally {
    await handle.close();
  }
}
