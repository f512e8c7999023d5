import { spawn } from "node:child_process";
import { pathToFileURL } from "node:url";
import type { World } from "../world.ts";

/** What starts the browser is done at once or hands over; longer it is not watched. Milliseconds. */
const watchMs = 1_500;

/** Opens an address in the person's browser; resolves with the reason where it cannot be, undefined when it is. */
export async function openInBrowser(
  url: string,
  env: World["env"],
  platform: NodeJS.Platform = process.platform,
): Promise<string | undefined> {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) return "it is no address of the web";
  return hand(new URL(url).href, env, platform);
}

/** The same for a file of this machine. */
export async function openFileInBrowser(path: string, env: World["env"]): Promise<string | undefined> {
  return hand(pathToFileURL(path).href, env, process.platform);
}

async function hand(address: string, env: World["env"], platform: NodeJS.Platform): Promise<string | undefined> {
  if (["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"].some((name) => (env[name] ?? "") !== ""))
    return "this is an ssh session, and the browser would open on the other machine";
  const isWsl = (env["WSL_DISTRO_NAME"] ?? "") !== "";
  const hasDesktop = ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"].some((name) => (env[name] ?? "") !== "");
  if (platform !== "win32" && platform !== "darwin" && !isWsl && !hasDesktop) return "this machine has no desktop";
  const [program, ...args] = openers(platform, isWsl);
  return start(program, [...args, address], env);
}

/** Programs that take an address as it is, without a shell that would read it. */
function openers(platform: NodeJS.Platform, isWsl: boolean): readonly [string, ...string[]] {
  if (platform === "darwin") return ["open"];
  if (platform === "win32" || isWsl) return ["rundll32.exe", "url.dll,FileProtocolHandler"];
  return ["xdg-open"];
}

function start(program: string, args: readonly string[], env: World["env"]): Promise<string | undefined> {
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
