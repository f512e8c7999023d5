import { statSync } from "node:fs";
import { resolve } from "node:path";
import { Readable, Writable } from "node:stream";
import { type Command, InvalidArgumentError } from "commander";
import type { ConnectionFlags } from "../../connection/target.ts";
import { CliError, describeFailure, isDrsError, usageError } from "../../failures.ts";
import { printable } from "../../output/printable.ts";
import type { CommandIo } from "../../command-io.ts";
import { defineInstall } from "./mcp-install.ts";
import { type Context, withConnection, withExamples, withWorkspace } from "../command.ts";
import type { Drs } from "@drs/client";
import { type Connected, connectTo } from "../../connection/connect.ts";

interface McpFlags extends ConnectionFlags {
  readonly root?: readonly string[];
}

export function defineMcp(command: Command, context: Context): void {
  defineInstall(command, context, withServe);
  withExamples(withServe(command), [
    ["drs mcp", "the documents of this machine's data folder"],
    ["drs mcp install claude", "sets up Claude to start it; also for cursor, vscode and codex"],
    ["drs mcp --profile lab --root ~/papers", "documents of a server; models may add files from ~/papers"],
  ])
    .addHelpText(
      "after",
      "\nPrograms such as Claude, Cursor, VS Code and Codex start it. It speaks the protocol on stdin and stdout, reports errors" +
        "\non stderr, and ends with its input. If no server is running, it starts a temporary one on the data folder. A running drs" +
        "\nserve offers the same tools over HTTP at /mcp. Without --root, models can add documents only by address.",
    )
    .action((flags: McpFlags) => serveTools(flags, context));
}

/** Adds the flags of `drs mcp`, which a program's configuration also names. */
function withServe(command: Command): Command {
  return withWorkspace(withConnection(command)).option(
    "--root <dir>",
    "folder from which models may add files, with subfolders; repeatable",
    folder,
  );
}

function folder(path: string, before: readonly string[] = []): readonly string[] {
  const root = resolve(path);
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new InvalidArgumentError(`${root} is not a folder.`);
  }
  return [...before, root];
}

async function serveTools({ root: roots = [], ...flags }: McpFlags, { io }: Context): Promise<void> {
  const { stdin, stdout, stderr } = io;
  if (!(stdin instanceof Readable) || !(stdout instanceof Writable)) {
    throw usageError("drs mcp needs a standard input and output", "programs start it: see drs mcp --help");
  }
  const say = (text: string): void => void stderr.write(`${printable(text)}\n`);
  // When the pipe ends, the connection ends as after a signal: without waiting for other commands on the folder.
  const over = new AbortController();
  const signal = AbortSignal.any([io.signal, over.signal]);
  const connection = connectWhenNeeded(flags, { ...io, stdin, signal } satisfies CommandIo, say);
  const { createLocalFiles, UserError, serveOverStdio } = await import("@drs/server/mcp");
  const report = (cause: unknown): void => say(describeFailure(cause).message);
  const drs = async () => {
    try {
      return await connection.drs();
    } catch (cause) {
      signal.throwIfAborted();
      // The model and its user see expected failures, but not bugs.
      if (!(cause instanceof CliError) && !isDrsError(cause)) throw cause;
      const { message, next } = describeFailure(cause);
      throw new UserError(next === "" ? message : `${message}. ${next}`, { cause });
    }
  };
  // Starts to connect now, so that it is ready when the first tool is called.
  drs().catch(report);
  try {
    await serveOverStdio({ drs, files: createLocalFiles(roots), report }, { stdin, stdout, signal });
  } finally {
    over.abort();
    await connection.close();
  }
}

/** A connection that is made when it is first needed, and again after a failure. */
interface LazyConnection {
  /** Rejects if connecting fails; the next call tries again. */
  drs(): Promise<Drs>;
  /** Closes everything that was started for the connection. */
  close(): Promise<void>;
}

function connectWhenNeeded(flags: ConnectionFlags, io: CommandIo, say: (text: string) => void): LazyConnection {
  let connecting: Promise<Connected> | undefined;
  const connected = async (): Promise<Connected> => {
    const now = (connecting ??= connectTo(flags, io, say));
    try {
      return await now;
    } catch (cause) {
      if (connecting === now) connecting = undefined;
      throw cause;
    }
  };
  return {
    drs: async () => (await connected()).drs,
    async close() {
      const last = await connecting?.catch(() => undefined);
      await last?.close();
    },
  };
}
