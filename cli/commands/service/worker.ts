import type { Command } from "commander";
import { type Context, withExamples } from "../command.ts";
import { aborted } from "./serve.ts";
import { keepToOwner, settingsOf, withSettings } from "./server-settings.ts";

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
