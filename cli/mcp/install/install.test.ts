import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parse as parseJson } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runCaptured } from "../../testing/run-captured.ts";
import { type ProgramName, programNames, programOf } from "./programs.ts";

let folder: string;
let env: Record<string, string>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-install-"));
  env = { HOME: folder, XDG_CONFIG_HOME: join(folder, ".config") };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const pathOf = (name: ProgramName): string => programOf(name, env).path;
const install = (...words: string[]) => runCaptured(["mcp", "install", ...words], env);

async function given(name: ProgramName, text: string): Promise<string> {
  const path = pathOf(name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

function entryIn(name: ProgramName, text: string): unknown {
  if (name === "codex") return (parseToml(text)["mcp_servers"] as Record<string, unknown>)["drs"];
  const { mcpServers, servers } = parseJson(text);
  return (mcpServers ?? servers).drs;
}

test.each(programNames)("%s: a new file, and once is enough", async (name) => {
  if (name === "claude") await mkdir(dirname(pathOf(name)), { recursive: true });
  const { code, stdout, stderr } = await install(name, "--yes", "--root", folder);
  expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: expect.stringContaining("+ ") });
  const text = await readFile(pathOf(name), "utf8");
  expect(entryIn(name, text)).toMatchObject({
    command: process.execPath,
    args: [expect.stringMatching(/bin\/drs\.js$/), "mcp", "--root", folder],
  });
  expect((await stat(pathOf(name))).mode & 0o777).toBe(0o600);
  const again = await install(name, "--yes", "--root", folder);
  expect(again).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("has it already") });
  expect(await readFile(pathOf(name), "utf8")).toBe(text);
  expect(await readdir(dirname(pathOf(name)))).toHaveLength(1);
});

const commented = `{
	// what I use
	"mcpServers": {
		"other": { "command": "other", "env": { "KEY": "secret" } }, /* stays */
	},
	"theme": "dark",
}
`;
const toml = `# mine
model = "x" # the best

[mcp_servers.drs] # old
command = "old"

[mcp_servers.drs.env]
A = "b"

# about the other
[mcp_servers.other]
command = "other"
`;

describe("files that have something in them", () => {
  test("JSON keeps its comments, its tabs and all else", async () => {
    const path = await given("cursor", commented);
    await chmod(path, 0o644);
    expect((await install("cursor", "--yes")).code).toBe(0);
    const text = await readFile(path, "utf8");
    for (const line of ["\t// what I use", '"KEY": "secret"', "/* stays */", '\t"theme": "dark",'])
      expect(text).toContain(line);
    expect(parseJson(text)).toMatchObject({ theme: "dark", mcpServers: { other: { command: "other" }, drs: {} } });
    expect((await stat(path)).mode & 0o777).toBe(0o644);
  });

  test("TOML keeps its comments, and the old entry is replaced with all that belongs to it", async () => {
    const path = await given("codex", toml);
    expect((await install("codex", "--yes", "--profile", "lab")).code).toBe(0);
    const text = await readFile(path, "utf8");
    expect(text.startsWith('# mine\nmodel = "x" # the best\n\n[mcp_servers.drs]\ncommand = ')).toBe(true);
    expect(text.endsWith('\n\n# about the other\n[mcp_servers.other]\ncommand = "other"\n')).toBe(true);
    expect(entryIn("codex", text)).toEqual({
      command: process.execPath,
      args: [expect.any(String), "mcp", "--profile", "lab"],
    });
    const change = await install("codex", "--print", "--profile", "other");
    expect(change.stdout).toMatch(/^- args = .*lab.*$/m);
    expect(change.stdout).toMatch(/^\+ args = .*other.*$/m);
  });

  test("a file that is a link stays one", async () => {
    const real = join(folder, "dotfiles.json");
    await writeFile(real, "{}");
    await mkdir(dirname(pathOf("claude")), { recursive: true });
    await symlink(real, pathOf("claude"));
    expect((await install("claude", "--yes")).code).toBe(0);
    expect((await lstat(pathOf("claude"))).isSymbolicLink()).toBe(true);
    expect(entryIn("claude", await readFile(real, "utf8"))).toMatchObject({ command: process.execPath });
  });

  test.each<[ProgramName, string]>([
    ["claude", "{"],
    ["claude", "[]"],
    ["cursor", '{"mcpServers": []}'],
    ["vscode", '{"servers": "none"}'],
    ["codex", "= x"],
    ["codex", 'mcp_servers = { drs = { command = "x" } }'],
    ["codex", 'mcp_servers.drs.command = "x"'],
    ["codex", "mcp_servers = 5"],
    ["codex", 'x = """\n[mcp_servers.drs]\n"""'],
  ])("%s: what is not understood is left alone: %s", async (name, text) => {
    const path = await given(name, text);
    for (const flag of ["--yes", "--print"]) {
      const { code, stdout, stderr } = await install(name, flag);
      expect(code, `of ${stderr}`).toBe(1);
      expect(stderr).toMatch(/by hand/);
      expect(stdout.startsWith(`${path}\n+ `)).toBe(true);
      expect(stdout).toContain('drs.js"');
    }
    expect(await readFile(path, "utf8")).toBe(text);
  });
});

test.each<[Record<string, string>, readonly string[], readonly string[]]>([
  [{ DRS_DATA_DIR: "folder" }, [], ["--data-dir", resolve("folder")]],
  [
    { DRS_SERVER: "https://drs.example.com", DRS_DATA_DIR: "folder" },
    [],
    ["--server", "https://drs.example.com", "--data-dir", resolve("folder")],
  ],
  [
    { DRS_PROFILE: "lab", DRS_DATA_DIR: "folder", DRS_WORKSPACE: "law" },
    [],
    ["--profile", "lab", "--workspace", "law"],
  ],
  [
    { DRS_PROFILE: "lab", DRS_WORKSPACE: "law" },
    ["--data-dir", "/srv/drs"],
    ["--data-dir", "/srv/drs", "--workspace", "law"],
  ],
  [{ DRS_API_KEY: "secret" }, [], []],
])("programs start drs without the environment: %j %j", async (more, words, flags) => {
  Object.assign(env, more);
  expect((await install("cursor", "--yes", ...words)).code).toBe(0);
  const text = await readFile(pathOf("cursor"), "utf8");
  expect(entryIn("cursor", text)).toMatchObject({ args: [expect.any(String), "mcp", ...flags] });
});

test("nothing is written without agreement, nor a key at all", async () => {
  for (const [words, code] of [
    [["cursor"], 2],
    [["cursor", "--print"], 0],
    [["cursor", "--yes", "--api-key", "secret"], 2],
    [["claude-code", "--yes"], 0],
    [["notepad", "--yes"], 2],
  ] as const) {
    expect((await install(...words)).code, `of ${words.join(" ")}`).toBe(code);
  }
  expect(await readdir(folder)).toEqual([]);
});

test("Claude Code is told the command that adds drs, and so is who asks for Claude Desktop where there is none", async () => {
  await mkdir(join(folder, "my papers"));
  const { code, stdout } = await install("claude-code", "--root", join(folder, "my papers"), "--profile", "lab");
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^claude mcp add --scope user drs -- \S*node\S* \S+drs\.js mcp --profile lab --root '.*\/my papers'\n$/,
  );
  if (process.platform !== "linux") return;
  const missing = await install("claude", "--yes");
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining("for Claude Code: claude mcp add ") });
  expect(await readdir(folder)).toEqual(["my papers"]);
});
