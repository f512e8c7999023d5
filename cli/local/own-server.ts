import { join } from "node:path";
import type { RunningServer } from "@drs/server";
import type { FolderLock } from "@drs/server/folder";
import type { CommandIo } from "../command-io.ts";

/** Starts the service in this process, for this machine only, on a data folder that this process has locked. */
export async function startOwnServer(dataDir: string, lock: FolderLock, env: CommandIo["env"]): Promise<RunningServer> {
  try {
    const [{ serve }, { readSettings }] = await Promise.all([import("@drs/server"), import("@drs/server/settings")]);
    const settings = readSettings({
      flags: { dataDir, host: "127.0.0.1", port: "0", publicUrl: "", log: env["DRS_LOG"] || "warn" },
      env,
    });
    // The command sends a request at once, so there is no time to warm up.
    return await serve(settings, { warmUp: false, lock, logFile: join(dataDir, "drs.log") });
  } catch (cause) {
    lock.release();
    throw cause;
  }
}
