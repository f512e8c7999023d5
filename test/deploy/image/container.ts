import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, chmodSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childrenOf } from "../../service/children.ts";
import type { ImageSettings } from "./dockerfile.ts";

/** A service that runs in the file system of the image. */
export interface Container {
  /** The id of its first process on this machine. */
  readonly pid: number;
  /** Its volume. */
  readonly volume: string;
  /** Runs a command in it by the image's user, or by root; its exit code and what it wrote. */
  exec(words: readonly string[], user?: string): Promise<{ readonly code: number | null; readonly said: string }>;
  /** Sends the signal of the image to its first process; the exit code. */
  stop(): Promise<number | null>;
  /** The output so far, stdout and stderr. */
  said(): string;
  /** Ends it at once, if it runs, and removes its volume. */
  remove(): Promise<void>;
}

/** `docker run --read-only --tmpfs /tmp --volume NEW:/data --env …`, but with the network of this machine. */
export function startContainer(root: string, image: ImageSettings, env: Readonly<Record<string, string>>): Container {
  const { command, stopSignal, user, volume: place } = image;
  // A new volume gets owner and rights of the folder in the image.
  const volume = mkdtempSync(join(tmpdir(), "drs-image-volume-"));
  const { uid, gid, mode } = statSync(join(root, place));
  chownSync(volume, uid, gid);
  chmodSync(volume, mode);
  const variables = Object.entries({ ...image.env, ...env }).map(([name, value]) => `${name}=${value}`);
  const script = join(import.meta.dirname, "run.sh");
  const namespaces = ["--mount", "--propagation", "private", "--pid", "--fork", "--kill-child"];
  const child = spawn("unshare", [...namespaces, script, root, volume, place, user, ...variables, ...command], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece: Buffer) => (said += piece.toString()));
  const exited = once(child, "exit");
  const first = (): number => {
    const [pid] = child.pid === undefined ? [] : childrenOf(child.pid);
    if (pid === undefined) throw new Error(`the container does not run: ${said}`);
    return pid;
  };
  return {
    get pid() {
      return first();
    },
    volume,
    async exec(words, as = user) {
      const [uid = "", gid = ""] = as.split(":");
      const inside = [
        "--target",
        String(first()),
        "--mount",
        "--pid",
        "--root",
        "--wd",
        "--setuid",
        uid,
        "--setgid",
        gid,
      ];
      const one = spawn("nsenter", [...inside, "env", "-i", ...variables, ...words], {
        stdio: ["ignore", "pipe", "pipe"],
      });
      let text = "";
      for (const stream of [one.stdout, one.stderr]) stream.on("data", (piece: Buffer) => (text += piece.toString()));
      await once(one, "close");
      return { code: one.exitCode, said: text };
    },
    async stop() {
      process.kill(first(), stopSignal);
      await exited;
      return child.exitCode;
    },
    said: () => said,
    async remove() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGKILL");
        await exited;
      }
      rmSync(volume, { recursive: true });
    },
  };
}
