import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { checkVariables, variables } from "@drs/server/settings";
import type { Context } from "./commands/command.ts";
import { refuseUnknown } from "./commands/unknown-command.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { describeFailure } from "./failures.ts";
import { Interrupted, type Sink, type CommandIo } from "./command-io.ts";

/** Adds arguments, flags and actions to a command. It is loaded only when the command is used. */
type Define = (command: Command, context: Context) => void;

const commands: readonly (readonly [name: string, summary: string, load: () => Promise<Define>])[] = [
  ["serve", "run the service on this machine", async () => (await import("./commands/service/serve.ts")).defineServe],
  [
    "worker",
    "run one more worker on the stores of a service",
    async () => (await import("./commands/service/serve.ts")).defineWorker,
  ],
  [
    "quickstart",
    "try everything in a minute, with sample documents or your own",
    async () => (await import("./commands/service/quickstart.ts")).defineQuickstart,
  ],
  [
    "upload",
    "store documents and split them into pages",
    async () => (await import("./commands/documents/upload.ts")).defineUpload,
  ],
  [
    "uploads",
    "list, resume and abort unfinished uploads",
    async () => (await import("./commands/documents/uploads.ts")).defineUploads,
  ],
  [
    "sync",
    "sync a folder to the service: new, changed, renamed and removed files",
    async () => (await import("./commands/documents/sync.ts")).defineSync,
  ],
  ["search", "find pages by meaning", async () => (await import("./commands/documents/search.ts")).defineSearch],
  [
    "jobs",
    "list, follow, cancel and retry jobs",
    async () => (await import("./commands/documents/jobs.ts")).defineJobs,
  ],
  [
    "datasets",
    "list, vectorize and delete stored documents",
    async () => (await import("./commands/documents/datasets.ts")).defineDatasets,
  ],
  [
    "items",
    "list the items of a dataset: its pages by number and format",
    async () => (await import("./commands/documents/items.ts")).defineItems,
  ],
  [
    "pages",
    "save pages as pictures, PDFs or embeddings",
    async () => (await import("./commands/documents/pages.ts")).definePages,
  ],
  [
    "mcp",
    "give language models access to the documents: an MCP (Model Context Protocol) server on stdin and stdout",
    async () => (await import("./commands/service/mcp.ts")).defineMcp,
  ],
  [
    "top",
    "watch the queue, the workers and the oldest jobs, live",
    async () => (await import("./commands/service/top.ts")).defineTop,
  ],
  [
    "verify",
    "check whether the stored data is complete, and repair it",
    async () => (await import("./commands/service/verify.ts")).defineVerify,
  ],
  [
    "index",
    "compare and rebuild the index that searches use",
    async () => (await import("./commands/service/index-of-pages.ts")).defineIndex,
  ],
  [
    "backup",
    "back up a data folder while it serves, list, verify and prune backups",
    async () => (await import("./commands/service/backup.ts")).defineBackup,
  ],
  [
    "restore",
    "restore a backup into an empty data folder",
    async () => (await import("./commands/service/backup.ts")).defineRestore,
  ],
  [
    "export",
    "write the documents of a workspace into a folder, in a documented format",
    async () => (await import("./commands/service/export-import.ts")).defineExport,
  ],
  [
    "import",
    "import an exported folder into a workspace",
    async () => (await import("./commands/service/export-import.ts")).defineImport,
  ],
  [
    "storage",
    "copy all stored data to other stores",
    async () => (await import("./commands/service/storage.ts")).defineStorage,
  ],
  [
    "migrate",
    "update the tables of the metadata database",
    async () => (await import("./commands/service/migrate.ts")).defineMigrate,
  ],
  [
    "keys",
    "create, list, rotate and revoke API keys",
    async () => (await import("./commands/admin/keys.ts")).defineKeys,
  ],
  ["workspaces", "create and list workspaces", async () => (await import("./commands/admin/orgs.ts")).defineWorkspaces],
  ["orgs", "list, create and update organisations", async () => (await import("./commands/admin/orgs.ts")).defineOrgs],
  [
    "members",
    "invite people, list them, change their roles, remove them",
    async () => (await import("./commands/admin/members.ts")).defineMembers,
  ],
  [
    "plans",
    "list, set and delete plans, the limits of organisations",
    async () => (await import("./commands/admin/plans.ts")).definePlans,
  ],
  [
    "models",
    "list, pull, verify and use model packs, which embed pages",
    async () => (await import("./commands/models/models.ts")).defineModels,
  ],
  [
    "links",
    "rotate the key that signs links, revoke all links",
    async () => (await import("./commands/admin/links.ts")).defineLinks,
  ],
  [
    "webhooks",
    "notify other services of finished jobs and deleted datasets",
    async () => (await import("./commands/admin/webhooks.ts")).defineWebhooks,
  ],
  [
    "audit",
    "show what was done in the organisation, and by whom",
    async () => (await import("./commands/admin/audit.ts")).defineAudit,
  ],
  [
    "usage",
    "show the usage of your workspace and the limits of your plan",
    async () => (await import("./commands/admin/usage.ts")).defineUsage,
  ],
  [
    "whoami",
    "show your identity and your permissions on the server",
    async () => (await import("./commands/account/whoami.ts")).defineWhoami,
  ],
  [
    "tokens",
    "list your personal tokens, and end those of lost devices",
    async () => (await import("./commands/account/tokens.ts")).defineTokens,
  ],
  [
    "open",
    "open the web console in the browser, signed in",
    async () => (await import("./commands/account/open.ts")).defineOpen,
  ],
  [
    "login",
    "save the address and the key of a server",
    async () => (await import("./commands/account/login.ts")).defineLogin,
  ],
  ["logout", "forget the key of a server", async () => (await import("./commands/account/login.ts")).defineLogout],
  [
    "profiles",
    "list, choose and remove servers that you have logged in to",
    async () => (await import("./commands/account/profiles.ts")).defineProfiles,
  ],
  [
    "completion",
    "print a script that completes commands for your shell",
    async () => (await import("./commands/completion.ts")).defineCompletion,
  ],
  [
    "doctor",
    "check this machine: what works, what is missing, what to do",
    async () => (await import("./commands/service/doctor.ts")).defineDoctor,
  ],
];

/** Runs a command line and resolves with its exit code; it never rejects. */
export async function run(words: readonly string[], io: CommandIo): Promise<ExitCode> {
  let code: ExitCode = exitCodes.ok;
  const endings: (() => Promise<void>)[] = [];
  const failures: unknown[] = [];
  const context: Context = {
    io,
    finish: (outcome) => {
      code = outcome;
    },
    atEnd: (work) => void endings.push(work),
    definitions: () => definitionsOf(context),
  };
  // Commander's own help command would show a command without loading its arguments and flags.
  const asked = words[0] === "help" && words.length > 1 ? [...words.slice(1), "--help"] : words;
  for (const work of [() => parse(asked, context), () => endAll(endings)]) {
    await work().catch((cause: unknown) => failures.push(cause));
  }
  if (failures.length === 0) return code;
  const [cause] = failures;
  // Commander throws for help and version as it does for errors, after it has printed the text.
  if (cause instanceof CommanderError) return cause.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  return report(io.signal.aborted ? io.signal.reason : cause, words, io);
}

async function parse(words: readonly string[], context: Context): Promise<void> {
  const { program, loads } = createProgram(context);
  program.hook("preSubcommand", async (_, command) => {
    await loads.get(command)?.();
  });
  // Help works whatever the environment is.
  program.hook("preAction", () => checkVariables(context.io.env));
  await program.parseAsync(words, { from: "user" });
}

async function endAll(endings: readonly (() => Promise<void>)[]): Promise<void> {
  for (const end of endings.toReversed()) await end();
}

interface Program {
  readonly program: Command;
  /** Loads the arguments and flags of each command. */
  readonly loads: ReadonlyMap<Command, () => Promise<void>>;
}

/** Returns the whole program with the arguments and flags of all commands. */
export async function definitionsOf(context: Context): Promise<Command> {
  const { program, loads } = createProgram(context);
  for (const load of loads.values()) await load();
  return program;
}

function createProgram(context: Context): Program {
  const { stdout, stderr } = context.io;
  const program = new Command("drs")
    .description("Document page retrieval: large documents in, pages out by number or by meaning.")
    .version(version())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      getOutHelpWidth: () => stdout.columns ?? 100,
      getErrHelpWidth: () => stderr.columns ?? 100,
    })
    .showHelpAfterError("(--help after the command shows how it is used)")
    .addHelpText(
      "after",
      `\n${environment()}\n\nIf no server is running, commands start a temporary one on the data folder.\nNew here? Run: drs quickstart`,
    );
  refuseUnknown(program);
  const loads = new Map<Command, () => Promise<void>>();
  for (const [name, summary, load] of commands) {
    // Created by the program, so that it inherits output, exit behaviour and help.
    const command = program.command(name).description(summary);
    loads.set(command, async () => {
      (await load())(command, context);
      refuseUnknown(command);
    });
  }
  return { program, loads };
}

/** Lists the environment variables of commands that use a server; those of servers are shown with their flags. */
function environment(): string {
  const ours = variables.filter((variable) => variable.for === "client");
  const width = Math.max(...ours.map(({ name }) => name.length)) + 2;
  return `Environment:\n${ours.map(({ name, description }) => `  ${name.padEnd(width)}${description}`).join("\n")}`;
}

function version(): string {
  const file: unknown = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
  return typeof file === "object" && file !== null && "version" in file ? String(file.version) : "unknown";
}

function report(cause: unknown, words: readonly string[], { stderr }: CommandIo): ExitCode {
  const { message, next, code, exitCode } = describeFailure(cause);
  if (words.includes("--json"))
    stderr.write(`${JSON.stringify({ error: message, code, ...(next === "" ? {} : { next }) })}\n`);
  else if (exitCode === exitCodes.interrupted) stderr.write(`${message}\n`);
  else stderr.write(`error: ${message}\n${next === "" ? "" : `  → ${next}\n`}`);
  return exitCode;
}

/**
 * Terminals signal the whole process group, and npm and our launcher forward the signal: signals within this time
 * (milliseconds) count as one request to stop, not two.
 */
const sameSignalMs = 500;

/** Runs a command line in this process and ends it. */
export async function start(words: readonly string[]): Promise<void> {
  const stop = new AbortController();
  let stopAt: number | undefined;
  const interrupt = (signal: NodeJS.Signals): void => {
    if (stopAt === undefined) {
      stopAt = Date.now();
      stop.abort(new Interrupted(signal));
    } else if (Date.now() - stopAt > sameSignalMs) {
      process.exit(exitCodes.interrupted);
    }
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, interrupt);
  for (const sink of [process.stdout, process.stderr]) {
    sink.on("error", (error: NodeJS.ErrnoException) => {
      // The reader has closed the pipe, as `head` does.
      if (error.code === "EPIPE") process.exit(exitCodes.ok);
      // The output or the log is on a full disk: a stack trace could not be written either.
      if (error.code === "ENOSPC" || error.code === "EDQUOT") {
        if (sink === process.stderr) return;
        process.stderr.write("error: the output cannot be written: the disk is full\n  → free some space\n");
        process.exit(exitCodes.failed);
      }
      throw error;
    });
  }
  const { stdout, stderr, env } = process;
  const io: CommandIo = {
    stdout,
    stderr,
    env,
    signal: stop.signal,
    // Opened only when it is read.
    get stdin() {
      return process.stdin;
    },
  };
  const code = await run(words, io);
  await Promise.all([flushed(stdout), flushed(stderr)]);
  process.exit(code);
}

function flushed(sink: Sink): Promise<void> {
  return new Promise((resolve) => sink.write("", () => resolve()));
}
