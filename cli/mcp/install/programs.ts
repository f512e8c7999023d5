import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { shellWord } from "../../terminal/own-command.ts";
import type { CommandIo } from "../../command-io.ts";
import type { Entry } from "./entry.ts";
import { withJsonEntry, withTomlEntry } from "./file-formats.ts";

/** A program that starts MCP servers listed in its configuration file. */
export interface Program {
  readonly title: string;
  readonly path: string;
  /**
   * Returns the text of the file with the entry added, everything else unchanged. Throws a `CliError` for a damaged
   * file.
   */
  withEntry(text: string, entry: Entry): string;
  /** Instructions for the user, so that the change takes effect. */
  readonly after: string;
}

export const programNames = ["claude", "cursor", "vscode", "codex"] as const;
export type ProgramName = (typeof programNames)[number];

/** Returns the command that adds a server to Claude Code, which manages its configuration itself. */
export function claudeCodeCommand({ command, args }: Entry): string {
  return ["claude", "mcp", "add", "--scope", "user", "drs", "--", command, ...args].map(shellWord).join(" ");
}

/**
 * Returns whether the program is not available here. Claude Desktop is made for macOS and Windows; if it is installed
 * on Linux anyway, its folder exists.
 */
export function isMissing(name: ProgramName, { path }: Program, platform = process.platform): boolean {
  return name === "claude" && platform !== "darwin" && platform !== "win32" && !existsSync(dirname(path));
}

/** Returns where each program has its configuration, as its documentation says. */
export function programOf(name: ProgramName, env: CommandIo["env"], platform = process.platform): Program {
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
