import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";
import type { Seen } from "./watch.ts";

const repository = realpathSync(fileURLToPath(new URL("../../..", import.meta.url)));
const here = (name: string): string => join(repository, "test/hostile/sealed", name);
/** All that a command starts ends with it, in a namespace of process ids. Without root a user namespace gives the rights for this. */
const unshare = ["--net", "--mount", "--pid", "--mount-proc", "--fork", "--kill-child"];
if (process.getuid?.() !== 0) unshare.push("--map-root-user");

/** An isolated machine: no network but loopback, and nothing of the user's own on its disk. */
export interface SealedMachine {
  /** The folder of everything that commands may write to: `home`, and `tmp` for temporary files. */
  readonly folder: string;
  /** Runs a command in the repository's folder, with nothing in its environment but what a login sets. */
  run(command: readonly string[], signal: AbortSignal): Promise<Seen>;
  /** Files and folders that do not match, by their path from `folder`. A match of a folder holds for what is in it. */
  unexpected(allowed: readonly RegExp[]): readonly string[];
  remove(): void;
}

export function createSealedMachine(): SealedMachine {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "drs-sealed-")));
  const at = (name: string): string => join(folder, name);
  for (const name of ["home", "tmp"]) mkdirSync(at(name));
  const env = {
    PATH: `${join(repository, "node_modules/.bin")}:${process.env["PATH"]}`,
    HOME: at("home"),
    TMPDIR: at("tmp"),
  };

  return {
    folder,
    async run(command, signal) {
      const watch = [process.execPath, here("watch.ts"), folder, repository, ...command];
      const { stdout } = await promisify(execFile)(
        "unshare",
        [...unshare, here("seal.sh"), folder, repository, ...watch],
        // unshare waits for its child in any case.
        { env, signal, killSignal: "SIGKILL", maxBuffer: 2 ** 26 },
      );
      rmSync(at("root"), { recursive: true });
      return JSON.parse(stdout);
    },
    unexpected(allowed) {
      const walk = (path: string): string[] =>
        readdirSync(at(path), { withFileTypes: true }).flatMap((entry) => {
          const inside = `${path}/${entry.name}`;
          if (allowed.some((pattern) => pattern.test(inside))) return [];
          // A folder on the way to what is allowed; an empty one is not on the way to anything.
          const found = entry.isDirectory() ? walk(inside) : [inside];
          return entry.isDirectory() && readdirSync(at(inside)).length === 0 ? [inside] : found;
        });
      return ["home", "tmp"].flatMap(walk);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Why no machine can be sealed here; empty if one can. */
export function whyNotSealed(): string {
  if (process.platform !== "linux") return " (skipped: Linux only)";
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "drs-sealed-")));
  const { status, stderr, error } = spawnSync(
    "unshare",
    [...unshare, here("seal.sh"), folder, repository, "/bin/true"],
    { encoding: "utf8" },
  );
  rmSync(folder, { recursive: true, force: true });
  if (status === 0) return "";
  return ` (skipped: no network and mount namespaces here: ${(error?.message ?? stderr).trim().split("\n").at(-1)})`;
}
