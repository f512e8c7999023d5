import { verifyPack } from "./files.ts";
import { loadPack } from "./load.ts";
import { type Manifest } from "./manifest.ts";
import { PackError } from "./pack-error.ts";
import type { LoadedPack } from "./pack.ts";
import type { Raster } from "./raster.ts";

/** A text in several scripts, so that a pack for any language knows some of it. */
const sentence =
  "The harbour lights are lit at dusk. Die Lampen im Hafen brennen am Abend. Огни гавани. 港の灯り。 Les lumières du port.";

/**
 * Reads a pack's files to their end, loads the pack, and embeds a sentence and a picture with it. Throws `PackError` with the
 * reason if that fails.
 */
export async function checkPack(packDir: string, signal?: AbortSignal): Promise<Manifest> {
  const manifest = await verifyPack(packDir, signal);
  const pack = await loadPack(packDir);
  try {
    await tryPack(pack);
  } finally {
    await pack.close();
  }
  return manifest;
}

/** Embeds a page and a query. Throws `PackError` if the vectors differ from the pack's manifest. */
export async function tryPack(pack: LoadedPack): Promise<void> {
  const picture = pack.picture && samplePicture(pack.picture);
  const page = await orPackError(pack, "a page", () => pack.embedPage({ words: sentence, picture }));
  const query = await orPackError(pack, "a query", () => pack.embedQuery({ text: sentence }));
  const vectors = page.flatMap((part) =>
    part.kind === "dense" ? part.vectors.map((vector) => [part.space, vector] as const) : [],
  );
  if (vectors.length === 0) throw new PackError(`${pack.id} makes no vector of a page with words and a picture`);
  if (query.length === 0) throw new PackError(`${pack.id} returns nothing for a query in words`);
  for (const [name, vector] of vectors) {
    const space = pack.spaces.find((candidate) => candidate.name === name);
    if (space?.kind !== "dense" || vector.length !== space.dimensions) {
      throw new PackError(
        `${pack.id} makes vectors of ${vector.length} dimensions in the space ${name}, against its manifest`,
      );
    }
    if (!vector.every(Number.isFinite)) {
      throw new PackError(`${pack.id} makes vectors in the space ${name} that hold something else than numbers`);
    }
  }
}

async function orPackError<Result>(pack: LoadedPack, what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof PackError) throw cause;
    throw new PackError(`${pack.id} cannot embed ${what}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/** Draws blocks of different greys on white, which give every kind of extractor something to see. */
function samplePicture({ longSide, channels }: NonNullable<LoadedPack["picture"]>): Raster {
  const width = Math.round(longSide * 0.7);
  const data = new Uint8Array(width * longSide * channels).fill(255);
  const block = Math.max(1, Math.floor(longSide / 16));
  for (let y = 0; y < longSide; y++) {
    for (let x = 0; x < width; x++) {
      const cell = Math.floor(y / block) * 31 + Math.floor(x / block) * 17;
      if (cell % 3 === 0) data.fill((cell * 37) % 200, (y * width + x) * channels, (y * width + x + 1) * channels);
    }
  }
  return { width, height: longSide, channels, data };
}
