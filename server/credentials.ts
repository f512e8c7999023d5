import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Metadata } from "./domain/ports/metadata.ts";
import { ensureFirstCredentials } from "./domain/workspaces/first-start.ts";

const schema = z.object({
  server: z.string(),
  apiKey: z.string(),
  workspaceId: z.string(),
  organisationId: z.string(),
});

/** The content of `credentials.json` in the data folder, with which a client on this machine calls the server. */
export type Credentials = z.infer<typeof schema>;

export const credentialsPath = (dataDir: string): string => join(dataDir, "credentials.json");

/** Undefined if there is no such file or it is not what it should be. */
export async function readCredentials(dataDir: string): Promise<Credentials | undefined> {
  const text = await readFile(credentialsPath(dataDir), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/**
 * Makes organisation, workspace and key on first start, and writes the key and the server's present address to
 * `credentials.json` (mode 0600). If that file is lost, a new key is made.
 */
export async function prepareCredentials(
  metadata: Metadata,
  { dataDir, server }: { dataDir: string; server: string },
): Promise<Credentials> {
  const kept = await readCredentials(dataDir);
  const made = await ensureFirstCredentials(metadata, kept === undefined, Date.now());
  const source = made ?? kept;
  if (source === undefined) throw new Error("no credentials were made on a store without any");
  const { apiKey, workspaceId, organisationId } = source;
  const credentials = { server, apiKey, workspaceId, organisationId };
  await writeCredentials(dataDir, credentials);
  return credentials;
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
