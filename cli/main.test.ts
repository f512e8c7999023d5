import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type FakeService, fakeService, goodKey } from "./testing/fake-service.ts";
import { type Captured, runCaptured } from "./testing/run-captured.ts";
import { Interrupted } from "./command-io.ts";

let folder: string;
let service: FakeService;
let env: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-cli-"));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  service = await fakeService();
  env = { DRS_SERVER: service.url, DRS_API_KEY: goodKey, DRS_DATA_DIR: join(folder, "nothing") };
});
afterEach(() => service.close());

const drs = (...words: string[]): Promise<Captured> => runCaptured(words, env);

async function file(name: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `%PDF- ${name}`);
  return path;
}

function jsonLines(text: string): unknown[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
}

describe("usage", () => {
  test.each([
    [["bogus"], 'unknown command "drs bogus"'],
    [["jobs", "lst"], "did you mean drs jobs list?"],
    [["upload"], "missing required argument 'file'"],
    [["upload", "a.pdf", "--expires-in-days", "0"], "-1 (never)"],
    [["upload", "a.pdf", "--speed", "9"], "unknown option '--speed'"],
    [["datasets", "list", "--limit", "101"], "whole number from 1 to 100"],
    [["datasets", "list", "--offset", "-1"], "whole number from 0"],
    [["items", "ds_0", "--row", "gif"], "Allowed choices are jpg, pdf, embedding_image"],
    [["keys", "create", "--scopes", "read,root"], '"root" is not one of read, write, search, admin'],
    [["pages", "get", "ds_0", "0"], "the first page is 1"],
    [["pages", "get", "ds_0", "9:5"], "write pages like"],
    [["search"], "nothing to search for"],
    [["search", "jaguar", "-car"], "drs search '… -car'"],
    [["search", "--image", "notes.txt"], "does not look like a picture"],
    [["jobs", "list", "--status", "DONE"], '"DONE" is not one of NOT_STARTED'],
    [["jobs", "watch"], "no job is named"],
    [["jobs", "watch", "dsj_0", "--all"], "both jobs and --all"],
    [["datasets", "list", "--all", "--limit", "5"], "cannot be used with option"],
    [["search", "form", "--images", "gif"], "Allowed choices are auto, kitty, iterm, sixel, blocks, none"],
    [["search", "form", "--images", "--row", "pdf"], "--images shows pictures"],
    [["search", "form", "--copy"], "no terminal that could copy"],
    [["serve", "--port", "many"], "--port (DRS_PORT) must be a whole number"],
    [["quickstart", "a.pdf"], "there is no question about your documents"],
    [["quickstart", "--ask", "what"], "a question needs documents"],
    [["datasets", "list", "--server", "drs.example:8420"], "write https://drs.example:8420"],
    [["pages", "get", "ds_0", "abc"], '"abc" is neither a page nor a range of pages'],
    [["version"], "did you mean drs --version?"],
    [["ls"], "did you mean drs datasets list?"],
    [["list"], "did you mean drs datasets list?"],
    [["status"], "drs jobs list"],
    [["uplod"], "did you mean drs upload?"],
    [["jobs", "ls"], "did you mean drs jobs list?"],
    [["webhooks", "delete"], "did you mean drs webhooks remove?"],
    [["keys", "rm"], "did you mean drs keys revoke?"],
    [["jobs", "gizmo"], "drs jobs --help shows all commands"],
  ])("drs %j is a mistake of the user's", async (words, said) => {
    const { code, stdout, stderr } = await drs(...words);
    expect(stderr).toContain(said);
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });

  test.each([
    ["DRS_APIKEY", ["datasets", "list"], "drs knows no environment variable DRS_APIKEY; did you mean DRS_API_KEY?"],
    ["DRS_CACHE_BYTE", ["serve"], "drs knows no environment variable DRS_CACHE_BYTE; did you mean DRS_CACHE_BYTES?"],
    ["DRS_SPEED", ["worker"], "drs knows no environment variable DRS_SPEED"],
  ])("the variable %s is a mistake of the user's to drs %j", async (name, words, said) => {
    const { code, stdout, stderr } = await runCaptured(words, { ...env, [name]: "1" });
    expect(stderr).toContain(said);
    expect([code, stdout]).toEqual([2, ""]);
    expect((await runCaptured([...words, "--help"], { ...env, [name]: "1" })).code).toBe(0);
  });

  test("a variable of the server, whatever it says, does not hinder a command that uses one", async () => {
    const server = { DRS_PORT: "tcp://10.0.0.1:8420", DRS_WORKERS: "many", DRS_LOG: "loud", DRS_CACHE_BYTES: "?" };
    expect((await runCaptured(["datasets", "list"], { ...env, ...server })).code).toBe(0);
    // The data folder is looked into for a key.
    const keyless = await runCaptured(["datasets", "list"], { ...env, ...server, DRS_API_KEY: "" });
    expect([keyless.code, keyless.stderr]).toEqual([4, expect.stringContaining("no API key for")]);
  });

  test("help names the variables of commands", async () => {
    const { stdout } = await drs("--help");
    for (const name of ["DRS_SERVER", "DRS_API_KEY", "DRS_PROFILE", "DRS_WORKSPACE", "DRS_LOCAL"]) {
      expect(stdout).toContain(`\n  ${name} `);
    }
  });

  test("every command shows what it does and an example", async () => {
    const walked: string[] = [];
    async function walk(path: readonly string[]): Promise<void> {
      const help = await drs(...path, "--help");
      expect(help.code).toBe(0);
      expect(help.stdout).toContain(`Usage: ${["drs", ...path].join(" ")}`);
      const inner = [...(help.stdout.split("\nCommands:\n")[1] ?? "").matchAll(/^ {2}([a-z]+) .*\S/gm)];
      for (const [, name = ""] of inner) if (name !== "help") await walk([...path, name]);
      if (inner.length > 0) return;
      expect(help.stdout).toContain("Examples:\n  $ ");
      expect(help.stdout).toContain(`drs ${path.join(" ")}`);
      expect(await drs("help", ...path)).toEqual(help);
      walked.push(path.join(" "));
    }
    await walk([]);
    expect(walked).toEqual(
      expect.arrayContaining([
        "serve",
        "upload",
        "jobs watch",
        "datasets delete",
        "keys create",
        "profiles use",
        "doctor",
      ]),
    );
  });
});

describe("connection", () => {
  test("without a key says where it was looked for", async () => {
    const elsewhere = { ...env, DRS_API_KEY: "", DRS_SERVER: "http://drs.example", XDG_CONFIG_HOME: folder };
    const { code, stderr } = await runCaptured(["datasets", "list"], elsewhere);
    expect(code).toBe(4);
    expect(stderr).toContain("no API key for http://drs.example");
    expect(stderr).toContain(join(folder, "nothing", "credentials.json"));
    expect(stderr).toContain("drs login --server http://drs.example");
  });

  test("a refused key is an exit code of its own, also in JSON", async () => {
    const { code, stderr, stdout } = await drs("datasets", "list", "--api-key", "drs_bad", "--json");
    expect(code).toBe(4);
    expect(stdout).toBe("");
    expect(JSON.parse(stderr)).toMatchObject({ error: "this API key is not known", code: "unauthenticated" });
  });

  test("a server that is not there says how to start one", async () => {
    await service.close();
    const { code, stderr } = await drs("jobs", "list");
    expect(code).toBe(1);
    expect(stderr).toContain(`cannot reach ${service.url}`);
    expect(stderr).toContain("drs serve");
    service = await fakeService();
  });
});

describe("upload", () => {
  test("waits, and says what came of each file", async () => {
    const { code, stdout, stderr } = await drs(
      "upload",
      await file("one.pdf"),
      await file("two.pdf"),
      "--vectorize",
      "--expires-in-days",
      "2",
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/one\.pdf: ds_\d, 20 pages\n/);
    expect(stdout).toMatch(/two\.pdf: ds_\d, 20 pages\n/);
    expect(stderr).not.toContain("✓");
    expect(stderr).toContain("reading pages");
    expect(stderr).not.toContain("\u001b");
    expect(service.log.toSorted()).toEqual(["upload one.pdf vectorize 2", "upload two.pdf vectorize 2"]);
  });

  test("asks that an address is told of the end", async () => {
    const address = "https://example.com/hooks/drs";
    const { code } = await drs("upload", await file("one.pdf"), "--callback-url", address);
    expect(code).toBe(0);
    expect(service.log).toEqual([`upload one.pdf extract ${address}`]);
  });

  test("names the pages and the files that failed, and exits with 3", async () => {
    const { code, stdout, stderr } = await drs(
      "upload",
      await file("partly.pdf"),
      await file("refused.txt"),
      join(folder, "absent.pdf"),
      await file("broken.pdf"),
    );
    expect(code).toBe(3);
    expect(stdout).toMatch(
      /partly\.pdf: ds_\d, 20 pages, 1 of them failed\n {2}page 3: the page draws for longer than 30 seconds\n/,
    );
    expect(stdout).toContain("refused.txt: not uploaded: this is none of pdf, docx, pptx, xlsx\n");
    expect(stdout).toContain("absent.pdf: there is no such file or folder\n");
    expect(stdout).toContain("broken.pdf: failed: the document has no pages\n");
    expect(stderr).toContain("→ check the path");
  });

  test.each([
    [["partly.pdf"], 3],
    [["broken.pdf"], 1],
    [["refused.pdf"], 1],
    [["one.pdf", "broken.pdf"], 3],
  ])("%j exits with %i", async (names, expected) => {
    const files = await Promise.all(names.map(file));
    expect((await drs("upload", ...files)).code).toBe(expected);
  });

  test("exits with 4 when the key opens nothing", async () => {
    expect((await drs("upload", await file("one.pdf"), "--api-key", "drs_bad")).code).toBe(4);
  });

  test("--json is one line per file and a summary, and nothing else on either stream", async () => {
    const { code, stdout, stderr } = await drs("upload", await file("one.pdf"), await file("refused.pdf"), "--json");
    expect(code).toBe(3);
    expect(stderr).toBe("");
    const lines = jsonLines(stdout);
    expect(lines).toHaveLength(3);
    expect(lines[2]).toMatchObject({
      summary: { files: 2, uploaded: 1, failed: 1, skipped: 0, pages: 20, interrupted: false, exitCode: 3 },
    });
    expect(lines).toContainEqual(
      expect.objectContaining({
        file: join(folder, "one.pdf"),
        outcome: "uploaded",
        datasetId: "ds_0",
        jobId: "dsj_0",
        status: "SUCCESS",
        failures: [],
      }),
    );
    expect(lines).toContainEqual({
      file: join(folder, "refused.pdf"),
      outcome: "failed",
      error: "this is none of pdf, docx, pptx, xlsx",
      code: "invalid_argument",
    });
  });

  test("--no-wait returns with the accepted job", async () => {
    const { code, stdout } = await drs("upload", await file("endless.pdf"), "--no-wait", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ jobId: "dsj_0", status: "IN_PROGRESS" });
  });

  test("an interruption exits with 130 and says what goes on", async () => {
    const stop = new AbortController();
    const running = runCaptured(["upload", await file("endless.pdf")], env, stop.signal);
    while (service.log.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort(new Interrupted("SIGINT"));
    const { code, stderr } = await running;
    expect(code).toBe(130);
    expect(stderr).toContain("drs jobs list");
    expect(stderr).toContain("interrupted\n");
  });

  test("names from elsewhere cannot write on the terminal", async () => {
    const { stdout, stderr } = await drs("upload", await file("\u001b[2Jpdf.pdf"));
    expect(stdout + stderr).not.toContain("\u001b");
  });
});

describe("lists", () => {
  beforeEach(async () => {
    for (const name of ["one.pdf", "two.pdf", "three.pdf"]) await drs("upload", await file(name), "--no-wait");
  });

  test("show a table and how to go on", async () => {
    const { stdout, stderr } = await drs("datasets", "list", "--limit", "2");
    const [titles, first, second] = stdout.split("\n");
    expect(titles).toMatch(/^DATASET {2}NAME +PAGES +SIZE {2}CREATED/);
    expect(first).toMatch(/^ds_0 {5}one\.pdf +20 {2}4\.7 MB /);
    expect(second).toMatch(/^ds_1/);
    expect(stderr).toBe("1 to 2 of 3; next: --offset 2, everything: --all\n");
    expect((await drs("datasets", "list", "--offset", "3")).stderr).toBe("nothing after 3 of 3\n");
  });

  test("are whole pages in JSON, with null where nothing is set", async () => {
    const { stdout, stderr } = await drs("datasets", "list", "--limit", "1", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      total: 3,
      offset: 0,
      limit: 1,
      data: [{ id: "ds_0", type: "doc", expiresAt: null }],
    });
    expect(stderr).toBe("");
    expect(JSON.parse((await drs("jobs", "list", "--json")).stdout)).toMatchObject({
      total: 3,
      data: [{ id: "dsj_0" }, {}, {}],
    });
    expect(JSON.parse((await drs("items", "ds_0", "--cols", "5:10,16", "--json")).stdout)).toMatchObject({ total: 7 });
    expect(JSON.parse((await drs("workspaces", "list", "--json")).stdout)).toMatchObject({
      total: 1,
      data: [{ name: "default" }],
    });
    expect(JSON.parse((await drs("keys", "list", "--json")).stdout)).toMatchObject({
      data: [{ id: "k1", lastUsedAt: null }],
    });
  });

  test("--all is everything, in JSON an entry per line", async () => {
    const { stdout, stderr } = await drs("datasets", "list", "--all", "--offset", "1", "--json");
    expect(jsonLines(stdout)).toMatchObject([{ id: "ds_1" }, { id: "ds_2" }]);
    expect(stderr).toBe("");
    expect((await drs("jobs", "list", "--all")).stdout.trimEnd().split("\n")).toHaveLength(4);
    expect((await drs("items", "ds_0", "--all", "--json")).stdout.trimEnd().split("\n")).toHaveLength(20);
    expect((await drs("items", "ds_0", "--all", "--offset", "20")).stderr).toBe("nothing after 20\n");
  });

  test("several jobs are watched together, and the worst of them is not hidden", async () => {
    await drs("upload", await file("broken.pdf"), "--no-wait");
    const { code, stdout, stderr } = await drs("jobs", "watch", "dsj_0", "dsj_3");
    expect(code).toBe(3);
    expect(stdout).toMatch(/^dsj_0 +one.pdf +ds_0 +extract +SUCCESS +20\/20/m);
    expect(stdout).toMatch(/^dsj_3 +broken.pdf +ds_3 +extract +ERROR .*the document has no pages$/m);
    expect(stderr).toContain("✓ one.pdf: 20 pages\n");
    expect(stderr).toContain("✗ broken.pdf: the document has no pages\n");
    expect((await drs("jobs", "watch", "dsj_3")).code).toBe(1);
    expect((await drs("jobs", "watch", "dsj_0", "dsj_77")).stderr).toContain("drs jobs list");
    expect((await drs("jobs", "watch", "--all")).stderr).toBe("no job is unfinished\n");
  });

  test("single things", async () => {
    expect((await drs("datasets", "get", "ds_1")).stdout).toContain("name     two.pdf\n");
    expect((await drs("jobs", "get", "dsj_1")).stdout).toContain("status    SUCCESS\n");
    expect((await drs("datasets", "delete", "ds_0", "ds_1", "--yes")).stdout).toContain(
      "ds_1 is deleted, 4.7 MB freed\n",
    );
    expect(service.log.slice(-2)).toEqual(["delete ds_0", "delete ds_1"]);
    expect((await drs("jobs", "cancel", "dsj_1")).stdout).toBe("dsj_1 is cancelled\n");
    const unknown = await drs("datasets", "get", "ds_77");
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain("drs datasets list");
  });

  test("a watched job is a line per state in JSON", async () => {
    const { code, stdout } = await drs("jobs", "watch", "dsj_0", "--json");
    expect(code).toBe(0);
    expect(jsonLines(stdout)).toMatchObject(
      [0, 5, 10, 15, 20].map((pagesDone) => ({ id: "dsj_0", progress: { pagesDone } })),
    );
  });

  test("vectorize waits like upload, unless it is told not to", async () => {
    expect(await drs("datasets", "vectorize", "ds_0")).toMatchObject({ code: 0, stdout: "ds_0 can be searched\n" });
    const accepted = await drs("datasets", "vectorize", "ds_0", "--no-wait");
    expect(accepted.stdout).toContain("drs jobs watch dsj_0");
  });

  test("a new key is all that stdout gets", async () => {
    const plain = await drs("keys", "create", "--workspace", "ws_1");
    expect(plain.stdout).toBe("drs_k1_secret\n");
    expect(plain.stderr).toContain("not shown again");
    const json: unknown = JSON.parse(
      (await drs("keys", "create", "--workspace", "ws_1", "--name", "ci", "--json")).stdout,
    );
    expect(json).toMatchObject({ id: "k1", key: "drs_k1_secret", workspaceId: "ws_1", name: "ci" });
    expect((await drs("keys", "revoke", "k1", "--yes")).stdout).toBe("k1 is revoked\n");
  });
});

describe("pages and search", () => {
  beforeEach(async () => {
    await drs("upload", await file("größe & form.pdf"), "--no-wait");
  });

  test("pages are saved under safe names that sort", async () => {
    const out = join(folder, "pages");
    const { code, stdout } = await drs("pages", "get", "ds_0", "2:3,11", "--out", out);
    expect(code).toBe(0);
    expect((await readdir(out)).toSorted()).toEqual([
      "größe-form-p0002.jpg",
      "größe-form-p0003.jpg",
      "größe-form-p0011.jpg",
    ]);
    expect(await readFile(join(out, "größe-form-p0011.jpg"), "utf8")).toBe("page 11");
    expect(stdout.trimEnd().split("\n")).toHaveLength(3);
  });

  test("pages come in the order in which they were asked for, with a dash as well", async () => {
    const { stdout } = await drs("pages", "get", "ds_0", "16,2-4,1", "--out", join(folder, "ordered"));
    expect(stdout.match(/p\d{4}(?=\.)/g)).toEqual(["p0016", "p0002", "p0003", "p0004", "p0001"]);
    const items = await drs("items", "ds_0", "--cols", "5-10,16", "--json");
    expect(JSON.parse(items.stdout)).toMatchObject({ total: 7 });
    expect((await drs("items", "ds_0", "--cols", "7-5")).stderr).toContain("write pages like");
  });

  test("a name stands for the one document that has it", async () => {
    const out = join(folder, "named");
    expect((await drs("pages", "get", "größe & form.pdf", "7", "--out", out)).stdout).toContain("p0007");
    expect((await drs("datasets", "get", "größe & form")).stdout).toContain("dataset  ds_0");
    expect((await drs("search", "warranty", "--dataset", "größe & form.pdf")).code).toBe(0);
    expect((await drs("datasets", "get", "other.pdf")).stderr).toContain("no document is called other.pdf");
    await drs("upload", await file("größe & form.pdf"), "--force", "--no-wait");
    const several = await drs("datasets", "delete", "größe & form.pdf", "--yes");
    expect(several).toMatchObject({ code: 1, stdout: "" });
    expect(several.stderr).toMatch(/is the name of 2 documents\n {2}ds_0 .*\n {2}ds_1 .*\n {2}→ name one by its id/);
    expect(service.log.filter((line) => line.startsWith("delete"))).toEqual([]);
  });

  test("a page that cannot be rendered does not lose the others", async () => {
    const out = join(folder, "broken-pages");
    const { code, stderr } = await drs("pages", "get", "ds_0", "12:14", "--out", out);
    expect(code).toBe(3);
    expect(stderr).toBe("page 13: page 13 cannot be rendered\n");
    expect(await readdir(out)).toHaveLength(2);
    expect((await drs("pages", "get", "ds_0", "13", "--out", out)).code).toBe(1);
  });

  test("--out - writes exactly one page to stdout", async () => {
    expect(await drs("pages", "get", "ds_0", "4", "--out", "-")).toEqual({ code: 0, stdout: "page 4", stderr: "" });
    expect((await drs("pages", "get", "ds_0", "4:5", "--out", "-")).code).toBe(2);
    const none = await drs("pages", "get", "ds_0", "99");
    expect(none.code).toBe(1);
    expect(none.stderr).toContain("has 20 pages, and none of 99");
    const partly = await drs("pages", "get", "ds_0", "3,5000", "--out", folder);
    expect([partly.code, partly.stderr]).toEqual([3, expect.stringContaining("has 20 pages, and none of 5000")]);
  });

  test("a page can be shown instead of saved", async () => {
    const none = await drs("pages", "get", "ds_0", "4", "--images");
    expect(none.code).toBe(1);
    expect(none.stderr).toContain("--out DIR");
    const shown = await drs("pages", "get", "ds_0", "4,13", "--images", "blocks");
    expect(shown.code).toBe(3);
    expect(shown.stdout).toContain("größe & form.pdf, page 4\n");
    expect(shown.stderr).toBe("page 13: page 13 cannot be rendered\n");
    expect((await drs("pages", "get", "ds_0", "4:5", "--open")).stderr).toContain("--open takes one page");
  });

  test("a link that cannot be opened is printed", async () => {
    const remote = { ...env, SSH_CONNECTION: "10.0.0.1 1 10.0.0.2 22" };
    const { code, stdout, stderr } = await runCaptured(["search", "form", "--open"], remote);
    expect(code).toBe(0);
    expect(stdout).toContain(" 1.  0.90  ");
    expect(stderr).toContain("this is an ssh session");
    expect(stderr).toContain(`the link is ${service.url}/v1/share/dsx_7?token=t\n`);
  });

  test("ranks pages with score, document and link", async () => {
    const { stdout } = await drs("search", "how", "large", "is", "it", "--limit", "2");
    expect(stdout).toContain(" 1.  0.90  größe & form.pdf, page 7\n");
    expect(stdout).toContain(`${service.url}/v1/share/dsx_7?token=t\n`);
    expect(stdout).toContain(" 2.  0.80  ");
    expect(stdout).not.toContain(" 3.  ");
    expect(service.log.at(-1)).toBe("search how large is it");
  });

  test("where nothing is found, what was asked for is named before what may be missing", async () => {
    const found = async (...flags: string[]) => (await drs("search", "nowhere", ...flags)).stderr;
    expect(await found()).toContain("only vectorized documents can be searched");
    expect(await found("--min-score", "0.9")).toBe(
      "nothing found with --min-score 0.9; search without it, or with wider limits\n",
    );
    expect(await found("--ext", "pdf", "--where", "year>2020")).toContain("nothing found with --where and --ext;");
  });

  test("saves the pictures it found, in the order of their rank", async () => {
    const out = join(folder, "found");
    const { stdout } = await drs("search", "form", "--save", out, "--json");
    expect((await readdir(out)).toSorted()).toEqual([
      "01-größe-form-p0007.jpg",
      "02-größe-form-p0002.jpg",
      "03-größe-form-p0009.jpg",
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      total: 3,
      data: [
        { rank: 1, score: 0.9, fileName: "größe & form.pdf", col: 7, savedTo: join(out, "01-größe-form-p0007.jpg") },
        { rank: 2 },
        { rank: 3 },
      ],
    });
  });

  test("a picture that cannot be drawn does not end the ranking", async () => {
    const { code, stdout } = await drs("search", "form", "--images", "blocks", "--limit", "2");
    expect(code).toBe(0);
    expect(stdout).toContain("(no picture: ");
    expect(stdout).toContain(" 2.  0.80  ");
    expect(stdout).not.toContain("\u001b");
    const piped = await drs("search", "form", "--images", "--limit", "2");
    expect(piped.stdout).not.toContain("(no picture: ");
    expect(piped.stderr).toContain("no pictures: the output goes into a file or another program");
  });

  test("looks for a picture", async () => {
    const path = join(folder, "photo.png");
    await writeFile(path, "not really");
    expect((await drs("search", "--image", path)).code).toBe(0);
    expect(service.log.at(-1)).toBe("search  data:image/png;base64,");
    await drs("search", "red", "--image", "https://example.com/a.jpg");
    expect(service.log.at(-1)).toBe("search red https://example.com/a.");
    const absent = await drs("search", "--image", join(folder, "absent.png"));
    expect(absent.code).toBe(1);
    expect(absent.stderr).toContain("absent.png: there is no such file");
  });
});
