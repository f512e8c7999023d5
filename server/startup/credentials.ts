import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Metadata } from "../domain/ports/metadata.ts";
import { ensureFirstCredentials } from "../domain/organisations/found.ts";

const schema = z.object({
  server: z.string(),
  apiKey: z.string(),
  workspaceId: z.string(),
  organisationId: z.string(),
});

/** The content of `credentials.json` in the data folder, which clients on this machine use. */
export type Credentials = z.infer<typeof schema>;

export const credentialsPath = (dataDir: string): string => join(dataDir, "credentials.json");

/** Reads the file; undefined if it does not exist or is not valid. */
export async function readCredentials(dataDir: string): Promise<Credentials | undefined> {
  const text = await readFile(credentialsPath(dataDir), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

interface Place {
  readonly dataDir: string;
  /** The server's present address. */
  readonly server: string;
  /**
   * When to create a new key for stores that have one already: if this folder has none, or only on request. Servers that
   * share stores often have temporary folders, and each start would leave a key behind.
   */
  readonly reissue: "if lost" | "always" | "never";
}

/**
 * Creates organisation, workspace and key at the first start, and writes the key and the server's present address to
 * `credentials.json` (mode 0600). Returns undefined if the folder has no key and none was created.
 */
export async function prepareCredentials(
  metadata: Metadata,
  { dataDir, server, reissue }: Place,
  now: number,
): Promise<Credentials | undefined> {
  const kept = await credentialsOf(metadata, dataDir);
  const isWanted = reissue === "always" || (reissue === "if lost" && kept === undefined);
  const source = (await ensureFirstCredentials(metadata, isWanted, now)) ?? kept;
  if (source === undefined) return undefined;
  const { apiKey, workspaceId, organisationId } = source;
  const credentials = { server, apiKey, workspaceId, organisationId };
  await writeCredentials(dataDir, credentials);
  return credentials;
}

/** Reads the folder's credentials, if they belong to the stores in use. */
async function credentialsOf({ organisations }: Metadata, dataDir: string): Promise<Credentials | undefined> {
  const kept = await readCredentials(dataDir);
  const operator = await organisations.operator();
  return kept?.organisationId === operator?.id ? kept : undefined;
}

async function writeCredentials(dataDir: string, credentials: Credentials): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const temporary = `${credentialsPath(dataDir)}.${process.pid}`;
  try {
    const file = await open(temporary, "w", 0o600);
    try {
      await file.writeFile(`${JSON.stringify(credentials, undefined, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, credentialsPath(dataDir));
  } catch (cause) {
    await rm(temporary, { force: true });
    throw cause;
  }
}
