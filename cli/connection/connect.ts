import type { Drs } from "@drs/client";
import { exitCodes } from "../exit-codes.ts";
import { CliError, usageError } from "../failures.ts";
import type { FolderService } from "../local/folder-service.ts";
import type { CommandIo } from "../command-io.ts";
import { readStoredKey } from "./profiles.ts";
import { type Ask, createAsk } from "./ask.ts";
import { accessTo, type ConnectionFlags, targetOf } from "./target.ts";

export interface Connected {
  readonly drs: Drs;
  /**
   * Asks the server with the key for the JSON at a path outside the public API. Throws a `CliError` with the server's
   * message.
   */
  readonly ask: Ask;
  /** Whether the server's links stop working when this command ends. */
  linksEnd(): boolean;
  /** Closes everything that was started for the connection. Resolves when it has ended. */
  close(): Promise<void>;
}

const no = (): boolean => false;

/** Prints a note for a person; JSON output has none. */
type Say = (text: string) => void;

/**
 * Connects to the server that flags, environment, profile or data folder select. If the data folder has no server, it
 * is started in this process.
 */
export async function connectTo(flags: ConnectionFlags, io: CommandIo, say: Say): Promise<Connected> {
  const target = await targetOf(flags, io);
  if (target.kind === "folder") return connectToFolder(target.dataDir, flags, io, say);
  const { key: apiKey, only } = await accessTo(target, flags, io);
  // Loaded only here, because help and usage errors need no client.
  const { createDrs } = await import("@drs/client");
  const workspace = workspaceOf(flags, io);
  if (only === undefined)
    return {
      drs: createDrs({ server: target.address, apiKey, workspace }),
      ask: createAsk({ server: target.address, apiKey }),
      linksEnd: no,
      close: () => Promise.resolve(),
    };
  const { createProvenFetch } = await import("../local/proven-fetch.ts");
  const { fetch, close } = createProvenFetch(only);
  return {
    drs: createDrs({ server: only.url, apiKey, workspace, fetch }),
    ask: createAsk({ server: only.url, apiKey, fetch }),
    linksEnd: no,
    close,
  };
}

/**
 * Returns what identifies the server from one command to the next: its address, or the data folder, because the address
 * of the folder's server changes.
 */
export async function serverOf(flags: ConnectionFlags, io: CommandIo): Promise<string> {
  const target = await targetOf(flags, io);
  return target.kind === "server" ? target.address : target.dataDir;
}

async function connectToFolder(dataDir: string, flags: ConnectionFlags, io: CommandIo, say: Say): Promise<Connected> {
  const { env, signal, stderr } = io;
  const { openFolderService } = await import("../local/folder-service.ts");
  // Logs do not need this note for every command.
  const onStart = (): void => {
    if (stderr.isTTY === true) say(`no server is running: using the data folder ${dataDir} in this process`);
  };
  const service = await openFolderService({ dataDir, env, signal, mayStart: mayStart(env), onStart });
  try {
    const key = flags.apiKey || env["DRS_API_KEY"] || (await readStoredKey(dataDir));
    if (key === undefined) {
      throw new CliError(`the data folder ${dataDir} has no API key`, {
        next: "its server writes credentials.json with one when it starts: start it again, or name a key with --api-key",
        exitCode: exitCodes.auth,
      });
    }
    const { createDrs } = await import("@drs/client");
    const drs = createDrs({
      server: service.url,
      apiKey: key,
      workspace: workspaceOf(flags, io),
      fetch: service.fetch,
    });
    return {
      drs,
      ask: createAsk({ server: service.url, apiKey: key, fetch: service.fetch }),
      linksEnd: () => service.endsWithCommand(),
      close: () => leave(service, drs, say),
    };
  } catch (cause) {
    await service.close();
    throw cause;
  }
}

function workspaceOf({ workspace }: ConnectionFlags, { env }: CommandIo): string | undefined {
  return workspace || env["DRS_WORKSPACE"] || undefined;
}

async function leave(service: FolderService, drs: Drs, say: Say): Promise<void> {
  await service.outlastGuests(() =>
    say(
      "other drs commands use the server of this one: waiting for them (Ctrl-C leaves now, and they continue by themselves)",
    ),
  );
  try {
    if (service.isOwn()) await remarkUnfinished(drs, say);
  } finally {
    await service.close();
  }
}

/** Reports unfinished jobs, which pause when this process ends. */
async function remarkUnfinished(drs: Drs, say: Say): Promise<void> {
  const unfinished = { statuses: ["NOT_STARTED", "IN_QUEUE", "IN_PROGRESS"], limit: 1 } as const;
  // A key without the read scope reports nothing.
  const { total } = await drs.jobs.page(unfinished).catch(() => ({ total: 0 }));
  if (total === 0) return;
  say(
    `${total === 1 ? "1 job is" : `${total} jobs are`} unfinished and will continue when drs runs again, for example with: drs serve`,
  );
}

/**
 * Returns whether this command may start a server; scripts that expect a running one can forbid it. Throws a usage
 * error for any other word.
 */
function mayStart(env: CommandIo["env"]): boolean {
  const choice = env["DRS_LOCAL"] || "auto";
  if (choice !== "auto" && choice !== "never")
    throw usageError(
      `DRS_LOCAL must be auto or never, not "${choice}"`,
      "auto: if no server is running, commands start a temporary one; never: they fail",
    );
  return choice === "auto";
}
