import type { Command } from "commander";
import { credentialsPath } from "../../connection/stored-key.ts";
import { firstLines } from "../../serve/first-lines.ts";
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
      "\nThe first start creates a workspace and an API key and writes them to credentials.json in the data folder,\nwhere the other commands find them; if several servers share stores, only the first one does so.\nSIGTERM and Ctrl-C let running requests end first; a second signal does not.\nIf a command has started a temporary server on the same data folder, this waits for its end.",
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
