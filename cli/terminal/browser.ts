import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { CommandIo } from "../command-io.ts";

/** How long the opener is watched, milliseconds: by then it has failed, or handed the address over. */
const watchMs = 1_500;

interface OpenOptions {
  readonly platform?: NodeJS.Platform;
  /**
   * Lifetime of the file that redirects the browser, milliseconds: a browser that is not running yet takes long to
   * start.
   */
  readonly keptMs?: number;
}

/**
 * Opens an address in the user's browser. Resolves with the reason if that fails, otherwise with undefined. The address
 * may contain a secret, and all users of a machine can see the arguments of its processes, so the browser gets a file
 * that only its user can read and that redirects to the address.
 */
export async function openInBrowser(
  url: string,
  env: CommandIo["env"],
  { platform = process.platform, keptMs = 60_000 }: OpenOptions = {},
): Promise<string | undefined> {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) return "it is not a web address";
  const reason = reasonAgainst(env, platform);
  if (reason !== undefined) return reason;
  const folder = await newFolder(env);
  const path = join(folder, "drs.html");
  await writeFile(path, pageTo(new URL(url).href), { mode: 0o600, flag: "wx" });
  const problem = await hand(path, env, platform);
  if (problem === undefined) removeLater(folder, keptMs);
  else await rm(folder, { recursive: true, force: true });
  return problem;
}

/** Does the same for a file of this machine. */
export async function openFileInBrowser(path: string, env: CommandIo["env"]): Promise<string | undefined> {
  return reasonAgainst(env, process.platform) ?? hand(path, env, process.platform);
}

/**
 * Creates a folder that only its user can read, whatever the umask is, in the runtime folder of the session or in the
 * cache.
 */
async function newFolder(env: CommandIo["env"]): Promise<string> {
  const parent = env["XDG_RUNTIME_DIR"] || join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "drs");
  await mkdir(parent, { recursive: true, mode: 0o700 });
  return mkdtemp(join(parent, "drs-open-"));
}

function pageTo(address: string): string {
  const escaped = address.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return [
    '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>drs</title>',
    `<meta http-equiv="refresh" content="0;url=${escaped}">`,
    `<p><a href="${escaped}">drs</a></p>`,
    "",
  ].join("\n");
}

/**
 * Removes the folder later, in another process, so that commands do not wait. That process gets only the name of the
 * folder.
 */
function removeLater(folder: string, afterMs: number): void {
  const program = `setTimeout(() => require("node:fs").rmSync(process.argv[1], { recursive: true, force: true }), ${afterMs})`;
  spawn(process.execPath, ["--eval", program, folder], { stdio: "ignore", detached: true, cwd: "/", env: {} }).unref();
}

function reasonAgainst(env: CommandIo["env"], platform: NodeJS.Platform): string | undefined {
  if (["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"].some((name) => (env[name] ?? "") !== ""))
    return "this is an ssh session, and the browser would open on the other machine";
  const hasDesktop = ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"].some((name) => (env[name] ?? "") !== "");
  const needsDesktop = platform !== "win32" && platform !== "darwin" && distributionOf(env) === undefined;
  return needsDesktop && !hasDesktop ? "this machine has no desktop" : undefined;
}

async function hand(path: string, env: CommandIo["env"], platform: NodeJS.Platform): Promise<string | undefined> {
  const distribution = distributionOf(env);
  const { href, pathname } = pathToFileURL(path);
  // A browser on Windows finds the files of WSL at this address.
  const address = distribution === undefined ? href : `file://wsl.localhost/${distribution}${pathname}`;
  const [program, ...args] = openers(platform, distribution !== undefined);
  return start(program, [...args, address], env);
}

/** Returns the name of the WSL distribution; undefined outside of WSL. */
const distributionOf = (env: CommandIo["env"]): string | undefined => env["WSL_DISTRO_NAME"] || undefined;

/** Returns a program that takes an address as it is, without a shell that would interpret it. */
function openers(platform: NodeJS.Platform, isWsl: boolean): readonly [string, ...string[]] {
  if (platform === "darwin") return ["open"];
  if (platform === "win32" || isWsl) return ["rundll32.exe", "url.dll,FileProtocolHandler"];
  return ["xdg-open"];
}

function start(program: string, args: readonly string[], env: CommandIo["env"]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: "ignore", detached: true, env });
    const timer = setTimeout(() => resolve(undefined), watchMs);
    const end = (reason: string | undefined): void => {
      clearTimeout(timer);
      resolve(reason);
    };
    child.on("error", (error: NodeJS.ErrnoException) =>
      end(error.code === "ENOENT" ? `${program} is not installed` : error.message),
    );
    child.on("exit", (code) => end(code === 0 ? undefined : `${program} ended with ${code ?? "a signal"}`));
    child.unref();
  });
}
