import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Drs } from "@drs/client";
import { exitCodes } from "../exit-codes.ts";
import { CliError, usageError } from "../failures.ts";
import type { World } from "../world.ts";

/** The flags of every command that talks to a server. */
export interface ConnectionFlags {
  readonly server?: string;
  readonly apiKey?: string;
}

/** What `drs serve` leaves in its data folder for programs on the same machine. */
interface StoredCredentials {
  readonly server?: string | undefined;
  readonly apiKey?: string | undefined;
}

/** Where a server listens that nobody told anything else. */
const defaultServer = "http://127.0.0.1:8420";

/** A client from flags, else environment, else the credentials that a server on this machine left. */
export async function connectTo({ server, apiKey }: ConnectionFlags, { env }: World): Promise<Drs> {
  const path = join(dataDirOf(env), "credentials.json");
  const stored = await readStored(path);
  const asked = server || env["DRS_SERVER"] || undefined;
  const address = asked ?? stored.server ?? defaultServer;
  // A key is not for every server that somebody names.
  const trusted = asked === undefined || sameMachine(asked, stored.server ?? defaultServer);
  const key = apiKey || env["DRS_API_KEY"] || (trusted ? stored.apiKey : undefined);
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    throw usageError(`"${address}" is not the address of a server`, "write it like http://127.0.0.1:8420");
  }
  if (key === undefined) {
    const elsewhere =
      stored.apiKey === undefined
        ? `${path} (not there: it is made by the first drs serve)`
        : `${path} (kept for ${stored.server})`;
    throw new CliError(`no API key for ${address}`, {
      next: `looked at --api-key, DRS_API_KEY and ${elsewhere}; start a server here with: drs serve, or ask the server's owner for a key`,
      exitCode: exitCodes.auth,
    });
  }
  // Loaded only here: help and mistakes need no client.
  const { createDrs } = await import("@drs/client");
  return createDrs({ server: address, apiKey: key });
}

/** The address that a client would use. */
export async function serverOf({ server }: ConnectionFlags, { env }: World): Promise<string> {
  const stored = await readStored(join(dataDirOf(env), "credentials.json"));
  return server || env["DRS_SERVER"] || stored.server || defaultServer;
}

/** The server's data folder, as far as a client needs to know it. */
export function dataDirOf(env: World["env"]): string {
  return env["DRS_DATA_DIR"] || join(env["XDG_DATA_HOME"] || join(homedir(), ".local", "share"), "drs");
}

async function readStored(path: string): Promise<StoredCredentials> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return {};
    throw cause;
  }
  try {
    const parsed: unknown = JSON.parse(text);
    const part = (name: string): string | undefined => {
      const value: unknown = typeof parsed === "object" && parsed !== null ? Reflect.get(parsed, name) : undefined;
      return typeof value === "string" && value !== "" ? value : undefined;
    };
    return { server: part("server"), apiKey: part("apiKey") };
  } catch {
    throw new CliError(`${path} is not JSON`, { next: "remove it and start the server again: it writes a new one" });
  }
}

function sameMachine(asked: string, stored: string): boolean {
  if (!URL.canParse(asked) || !URL.canParse(stored)) return false;
  const [one, other] = [new URL(asked), new URL(stored)];
  return one.origin === other.origin || (isLoopback(one.hostname) && isLoopback(other.hostname));
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
