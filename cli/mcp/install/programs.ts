import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { shellWord } from "../../terminal/own-command.ts";
import type { World } from "../../world.ts";
import type { Entry } from "./entry.ts";
import { withJsonEntry } from "./json-file.ts";
import { withTomlEntry } from "./toml-file.ts";

/** A program that starts servers of the protocol by its configuration file. */
export interface Program {
  readonly title: string;
  readonly path: string;
  /** The text of the file with the entry in it, all else as it was. Throws a `CliError` for a file that is damaged. */
  withEntry(text: string, entry: Entry): string;
  /** What a person has to do for the change to be seen. */
  readonly after: string;
}

export const programNames = ["claude", "cursor", "vscode", "codex"] as const;
export type ProgramName = (typeof programNames)[number];

/** The command with which Claude Code itself adds a server: its configuration is not for others to write. */
export function claudeCodeCommand({ command, args }: Entry): string {
  return ["claude", "mcp", "add", "--scope", "user", "drs", "--", command, ...args].map(shellWord).join(" ");
}

/** Claude Desktop is made for macOS and Windows; who has it on Linux all the same has its folder there. */
export function isMissing(name: ProgramName, { path }: Program, platform = process.platform): boolean {
  return name === "claude" && platform !== "darwin" && platform !== "win32" && !existsSync(dirname(path));
}

/** Where each program has its configuration, as its documentation says. */
export function programOf(name: ProgramName, env: World["env"], platform = process.platform): Program {
  const home = env["HOME"] || env["USERPROFILE"] || homedir();
  const application = (folder: string): string =>
    platform === "darwin"
      ? join(home, "Library", "Application Support", folder)
      : platform === "win32"
        ? join(env["APPDATA"] || join(home, "AppData", "Roaming"), folder)
        : join(env["XDG_CONFIG_HOME"] || join(home, ".config"), folder);
  switch (name) {
    case "claude":
      return {
        title: "Claude Desktop",
        path: join(application("Claude"), "claude_desktop_config.json"),
        withEntry: (text, entry) => withJsonEntry(text, ["mcpServers", "drs"], { ...entry }),
        after: "quit Claude Desktop and open it again; Claude Code is another program: drs mcp install claude-code",
      };
    case "cursor":
      return {
        title: "Cursor",
        path: join(home, ".cursor", "mcp.json"),
        withEntry: (text, entry) => withJsonEntry(text, ["mcpServers", "drs"], { ...entry }),
        after: "switch drs on under Settings, MCP",
      };
    case "vscode":
      return {
        title: "VS Code",
        path: join(application("Code"), "User", "mcp.json"),
        withEntry: (text, entry) => withJsonEntry(text, ["servers", "drs"], { type: "stdio", ...entry }),
        after: "run the command MCP: List Servers and start drs",
      };
    case "codex":
      return {
        title: "Codex",
        path: join(env["CODEX_HOME"] || join(home, ".codex"), "config.toml"),
        withEntry: (text, entry) => withTomlEntry(text, ["mcp_servers", "drs"], { ...entry }),
        after: "start Codex again",
      };
  }
}
