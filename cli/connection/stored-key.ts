import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { CliError } from "../failures.ts";

/** Path of the file with the API key that the server leaves for programs on the same machine. */
export function credentialsPath(dataDir: string): string {
  return join(dataDir, "credentials.json");
}

/** Returns the API key that the first start created, or undefined if there is none. Throws if the file is damaged. */
export async function readStoredKey(dataDir: string): Promise<string | undefined> {
  const path = credentialsPath(dataDir);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw cause;
  }
  try {
    const parsed: unknown = JSON.parse(text);
    const key: unknown = typeof parsed === "object" && parsed !== null ? Reflect.get(parsed, "apiKey") : undefined;
    return typeof key === "string" && key !== "" ? key : undefined;
  } catch {
    throw new CliError(`${path} is not JSON`, { next: "remove it and start the server again: it writes a new one" });
  }
}
