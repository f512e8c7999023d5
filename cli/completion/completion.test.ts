import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCaptured } from "../testing/run-captured.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-completion-"));
  await mkdir(join(folder, "pictures"));
  await writeFile(join(folder, "a report.pdf"), "");
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, stdout } = await runCaptured(["completion", shell], {});
    expect(code).toBe(0);
    await writeFile(join(folder, `drs.${shell}`), stdout);
  }
});
afterAll(() => rm(folder, { recursive: true }));

/** Returns what a shell offers after the words; the last one is being typed. */
type Offer = (words: readonly string[]) => string[];

/** Calls the function as readline does: with the words in COMP_WORDS. */
const bash: Offer = (words) => {
  const script = `source drs.bash
compopt() { local kind; [[ $2 == dirnames ]] && kind=-d || kind=-f; mapfile -t COMPREPLY < <(compgen $kind -- "$cur"); }
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _drs; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return runShell("bash", ["--norc", "-c", script, "bash", ...words]);
};

/**
 * Uses a terminal, because zsh completes nowhere else. The prompt tells that it reads key by key; the line is erased,
 * so that nothing is run.
 */
const zsh: Offer = (words) => {
  const script = `zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "autoload -Uz compinit; compinit -u -D; source ./drs.zsh"
zpty -w shell "compadd() { builtin compadd -O offered \\"\\$@\\"; print -rl -- \\"offer:\\"\\$^offered; builtin compadd \\"\\$@\\" }"
zpty -w shell "zle -C offer complete-word _generic; bindkey '^T' offer; zstyle ':completion:*' completer _complete; PS1='g%{%}oahead '"
zpty -r shell line '*goahead *'
zpty -n -w shell "$1"$'\\x14\\x15'"print -r do''ne"$'\\n'
zpty -r shell line '*done*'
print -r -- "$line"`;
  const text = runShell("zsh", ["-f", "-c", script, "zsh", words.map(escapeSpaces).join(" ")]).join("\n");
  return [...new Set([...text.matchAll(/offer:(\P{Cc}+)/gu)].map(([, word = ""]) => word))];
};

const fish: Offer = (words) => {
  const script = `source drs.fish; complete --do-complete ${JSON.stringify(words.map(escapeSpaces).join(" "))}`;
  return runShell("fish", ["--no-config", "-c", script]).map((line) => line.split("\t", 1)[0] ?? "");
};

function escapeSpaces(word: string): string {
  return word.replaceAll(" ", "\\ ");
}

function runShell(shell: string, args: readonly string[]): string[] {
  const env = { PATH: process.env["PATH"], HOME: folder, TERM: "dumb" };
  const { stdout, stderr, status } = spawnSync(shell, args, { cwd: folder, env, encoding: "utf8", timeout: 30_000 });
  expect({ shell, status, stderr }).toEqual({ shell, status: 0, stderr: "" });
  return stdout.split("\n").filter((line) => line !== "");
}

const shells: readonly (readonly [string, Offer])[] = [
  ["bash", bash],
  ["zsh", zsh],
  ["fish", fish],
];
for (const [shell, offer] of shells) {
  const isAbsent = spawnSync(shell, ["--version"]).error !== undefined;
  describe.skipIf(isAbsent)(`in ${shell}${isAbsent ? ` (skipped: ${shell} is not installed)` : ""}`, () => {
    const offered = (...words: string[]): string[] => offer(["drs", ...words]).toSorted();

    test("commands, and the commands in them", () => {
      expect(offered("")).toEqual(expect.arrayContaining(["upload", "search", "completion", "help"]));
      expect(offered("da")).toEqual(["datasets"]);
      expect(offered("jobs", "")).toEqual(expect.arrayContaining(["cancel", "get", "list", "watch"]));
      expect(offered("jobs", "wa")).toEqual(["watch"]);
      expect(offered("help", "ser")).toEqual(["serve"]);
    });

    test("flags of the command that stands there", () => {
      expect(offered("jobs", "list", "--st")).toEqual(["--status"]);
      expect(offered("pages", "get", "ds_1", "5:10", "--r")).toEqual(["--row"]);
      expect(offered("serve", "--max-s")).toEqual(["--max-sheet-pages"]);
    });

    test("the words that a flag or an argument takes, also several with commas", () => {
      expect(offered("items", "ds_1", "--row", "")).toEqual(["embedding_image", "jpg", "pdf"]);
      expect(offered("jobs", "list", "--status", "IN_")).toEqual(["IN_PROGRESS", "IN_QUEUE"]);
      expect(offered("keys", "create", "--scopes", "read,se").join()).toContain("search");
      expect(offered("completion", "f")).toEqual(["fish"]);
      expect(offered("jobs", "get", "")).toEqual([]);
    });

    test("files and folders where they are wanted", () => {
      expect(offered("quickstart", "a").join()).toMatch(/^a\\? report\.pdf/);
      expect(offered("search", "--save", "pic").join()).toMatch(/^pictures\/?$/);
    });
  });
}

test("bash and zsh take a value behind an equals sign", async () => {
  expect(bash(["drs", "items", "ds_1", "--row", "=", "j"])).toEqual(["jpg"]);
  expect(bash(["drs", "items", "ds_1", "--row", "=", "jpg", "--li"])).toEqual(["--limit"]);
});

test("another shell is a mistake of the user's", async () => {
  const { code, stderr } = await runCaptured(["completion", "tcsh"], {});
  expect(code).toBe(2);
  expect(stderr).toContain("Allowed choices are bash, zsh, fish");
});
