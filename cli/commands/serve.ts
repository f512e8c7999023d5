import type { Command } from "commander";
import { credentialsPath } from "../connection/stored-key.ts";
import { firstLines } from "../serve/first-lines.ts";
import type { World } from "../world.ts";
import { type Context, withExamples } from "./command.ts";
import { isSet, noWorker } from "@drs/server/settings";
import { keepToOwner, settingsOf, withSettings } from "./server-settings.ts";

export function defineServe(command: Command, context: Context): void {
  withExamples(
    withSettings(command, ({ name }) => name !== "healthPort"),
    [
      ["drs serve", "on this machine only, documents in the data folder"],
      ["drs serve --host 0.0.0.0 --public-url https://drs.example.com", "for others, behind a proxy with TLS"],
      ["drs serve --port 0 --data-dir /tmp/drs", "any free port, a folder of its own"],
    ],
  )
    .option("--no-worker", `${noWorker.description} (${noWorker.name})`)
    .option("--new-key", "make a new key with every scope and leave it in credentials.json in the data folder")
    .addHelpText(
      "after",
      "\nThe first start makes a workspace and an API key and leaves them in credentials.json in the data folder,\nwhere the other commands find them; servers that share stores make one key, where the first of\nthem started. SIGTERM and Ctrl-C let running requests end first; a second one does not.\nA command that serves itself on the same data folder is waited for.",
    )
    .action(async (flags: Record<string, unknown> & { worker?: boolean; newKey?: boolean }) => {
      const { world } = context;
      const settings = settingsOf(flags, world);
      keepToOwner();
      const [{ serve }, { waitForFolder }] = await Promise.all([
        import("@drs/server"),
        import("../local/wait-for-folder.ts"),
      ]);
      const { dataDir } = settings;
      const onWait = (pid: number): void =>
        void world.stderr.write(
          `a drs command (process ${pid}) uses the data folder ${dataDir}: waiting until it has finished (Ctrl-C gives up)\n`,
        );
      const lock = await waitForFolder(dataDir, { signal: world.signal, onWait });
      const running = await serve(settings, {
        claimJobs: flags.worker !== false && !isSet(noWorker.name, world.env),
        newKey: flags.newKey ?? false,
        lock,
      });
      const path = running.credentials === undefined ? undefined : credentialsPath(dataDir);
      const started = { ...settings, url: running.url, credentialsPath: path };
      world.stdout.write(`${firstLines(started, world.stdout.isTTY === true).join("\n")}\n`);
      await aborted(world);
      await running.close();
    });
}

/** Resolves when the user wants to stop, which is the normal end of a server. */
export function aborted({ signal }: World): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
