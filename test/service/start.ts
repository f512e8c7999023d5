import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Credentials } from "../../server/startup/credentials.ts";
import { type SettingSources, readSettings } from "../../server/settings/settings.ts";
import { type RunningServer, type ServeOptions, serve } from "../../server/serve.ts";
import { sharedStores } from "./shared-stores.ts";

export interface TestServer extends RunningServer {
  readonly credentials: Credentials;
  readonly dataDir: string;
  /** Closes the server and removes its data folder. */
  remove(): Promise<void>;
}

/** A whole server, API and worker process, on a free port and a temporary data folder. */
export async function startServer(
  flags: SettingSources["flags"] = {},
  options: Pick<ServeOptions, "pace"> = {},
): Promise<TestServer> {
  const dataDir = flags.dataDir ?? (await mkdtemp(join(tmpdir(), "drs-test-")));
  const stores = await sharedStores(dataDir);
  const settings = readSettings({ flags: { log: "error", ...stores, ...flags, dataDir, port: "0" }, env: {} });
  const running = await serve(settings, options);
  const { credentials } = running;
  if (credentials === undefined) throw new Error("the server made no key");
  return {
    ...running,
    credentials,
    dataDir,
    async remove() {
      await running.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
