import type { Command } from "commander";
import { credentialsPath } from "../../connection/profiles.ts";
import type { CommandIo } from "../../command-io.ts";
import { type Context, withExamples } from "../command.ts";
import { isSet, noWorker } from "@drs/server/settings";
import { keepToOwner, settingsOf, withSettings } from "./server-settings.ts";

export function defineServe(command: Command, context: Context): void {
  withExamples(
    withSettings(command, ({ name }) => name !== "healthPort"),
    [
      ["drs serve", "for this machine only, documents in the data folder"],
      ["drs serve --host 0.0.0.0 --public-url https://drs.example.com", "for others, behind a proxy with TLS"],
      ["drs serve --port 0 --data-dir /tmp/drs", "any free port, a separate folder"],
    ],
  )
    .option("--no-worker", `${noWorker.description} (${noWorker.name})`)
    .option("--new-key", "create a new key with every scope and write it to credentials.json in the data folder")
    .addHelpText(
      "after",
      "\nThe first start creates a workspace and an API key and writes them to credentials.json in the data folder,\nwhere the other commands find them; if several servers share stores, only the first one does so.\nSIGTERM and Ctrl-C let running requests end first; a second signal does not.\nIf a command has started a temporary server on the same data folder, drs serve waits until it has ended.",
    )
    .action(async (flags: Record<string, unknown> & { worker?: boolean; newKey?: boolean }) => {
      const { io } = context;
      const settings = settingsOf(flags, io);
      keepToOwner();
      const [{ serve }, { waitForFolder }] = await Promise.all([
        import("@drs/server"),
        import("../../local/wait-for-folder.ts"),
      ]);
      const { dataDir } = settings;
      const onWait = (pid: number): void =>
        void io.stderr.write(
          `a drs command (process ${pid}) uses the data folder ${dataDir}: waiting until it has finished (Ctrl-C gives up)\n`,
        );
      const lock = await waitForFolder(dataDir, { signal: io.signal, onWait });
      const running = await serve(settings, {
        claimJobs: flags.worker !== false && !isSet(noWorker.name, io.env),
        newKey: flags.newKey ?? false,
        lock,
      });
      const path = running.credentials === undefined ? undefined : credentialsPath(dataDir);
      const started = { ...settings, url: running.url, credentialsPath: path };
      io.stdout.write(`${firstLines(started, io.stdout.isTTY === true).join("\n")}\n`);
      await aborted(io);
      await running.close();
    });
}

/** Resolves when the user wants to stop, which is the normal end of a server. */
export function aborted({ signal }: CommandIo): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Settings that only the API uses. */
const apiOnly: readonly string[] = ["port", "publicUrl", "trustedProxies", "maxUploadBytes", "drainDelayMs"];

export function defineWorker(command: Command, context: Context): void {
  withExamples(
    withSettings(command, ({ name }) => !apiOnly.includes(name)),
    [
      ["drs worker --data-dir /srv/drs --workers 8", "eight threads on the stores of the server that uses this folder"],
      [
        "drs worker --host 0.0.0.0 --health-port 8421",
        "with /healthz, /readyz and /metrics for monitoring; the stores are in the environment",
      ],
    ],
  )
    .addHelpText(
      "after",
      "\nIt needs the same three stores as the server. SIGTERM and Ctrl-C let it finish the current pages and return its jobs,\nwhich takes at most half a minute; a second signal does not.",
    )
    .action(async (flags: Record<string, unknown>) => {
      const { io } = context;
      const settings = settingsOf(flags, io);
      keepToOwner();
      const { openOwnTemporaryFolder, work } = await import("@drs/server");
      const temporary = await openOwnTemporaryFolder();
      try {
        const running = await work(settings);
        io.stdout.write("drs worker ready\n");
        if (running.healthUrl !== undefined) io.stdout.write(`drs worker health on ${running.healthUrl}\n`);
        if (io.stdout.isTTY === true) io.stdout.write(`  data     ${settings.dataDir}\n  stop     Ctrl-C\n`);
        await aborted(io);
        await running.close();
      } finally {
        await temporary.close();
      }
    });
}

/** A server that has just started. */
interface Started {
  readonly url: string;
  /** The address that others use; undefined if it is `url`. */
  readonly publicUrl: string | undefined;
  readonly dataDir: string;
  /** The file with the key for this machine; undefined if there is none. */
  readonly credentialsPath: string | undefined;
  readonly console: "on" | "off";
}

/** Addresses to listen on that a browser cannot always open. */
const everyAddress: ReadonlySet<string> = new Set(["0.0.0.0", "[::]"]);

/**
 * Returns what `drs serve` prints once it listens: only the first line for a program, also the next steps for a person.
 */
export function firstLines(started: Started, toPerson: boolean): string[] {
  const { url, publicUrl, dataDir, credentialsPath } = started;
  const listening = `drs listening on ${url}`;
  if (!toPerson) return [listening];
  const isEvery = everyAddress.has(new URL(url).hostname);
  const here = isEvery ? `http://localhost:${new URL(url).port}` : url;
  return [
    isEvery ? `${listening}, which is every address of this machine` : listening,
    ...(publicUrl === undefined ? [] : [`  links    begin with ${publicUrl}`]),
    ...(started.console === "on" ? [`  console  ${here}; drs open opens it signed in`] : []),
    `  API      ${here}/docs`,
    `  data     ${dataDir}`,
    credentialsPath === undefined
      ? "  key      none here: it is on the machine of the first server with these stores; drs serve --new-key creates another"
      : `  key      in ${credentialsPath}; drs commands on this machine find it there`,
    "  next     drs upload FILE --vectorize, then: drs search WORDS",
    "  stop     Ctrl-C",
  ];
}
