import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { createDrs } from "@drs/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configPath, readProfiles } from "../../cli/connection/profiles.ts";
import { type Captured, runCaptured } from "../../cli/testing/run-captured.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

let server: TestServer;
let folder: string;
/** The admin key of an organisation that is a guest of the service. */
let guest: { readonly organisationId: string; readonly apiKey: string };

beforeAll(async () => {
  server = await startServer();
  folder = await mkdtemp(join(tmpdir(), "drs-cli-admin-"));
  guest = await createOrganisation("House of Bats");
});
afterAll(async () => {
  await server.remove();
  await rm(folder, { recursive: true });
});

/** A user on a machine of their own: with a key, or with the profiles of their logins. */
interface User {
  drs(...words: string[]): Promise<Captured>;
  /** Runs a command that must succeed, and parses its JSON. */
  json(...words: string[]): Promise<unknown>;
  pipe(input: string, ...words: string[]): Promise<Captured>;
  readonly env: Readonly<Record<string, string>>;
}

function user(name: string, apiKey?: string, more: Readonly<Record<string, string>> = {}): User {
  const env = {
    XDG_CONFIG_HOME: join(folder, name),
    ...(apiKey === undefined ? {} : { DRS_SERVER: server.url, DRS_API_KEY: apiKey }),
    ...more,
  };
  const pipe = (input: string, ...words: string[]): Promise<Captured> =>
    runCaptured(words, env, new AbortController().signal, Readable.from([input]));
  const drs = (...words: string[]): Promise<Captured> => runCaptured(words, env);
  return {
    env,
    pipe,
    drs,
    async json(...words) {
      const { code, stdout, stderr } = await drs(...words, "--json");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      return JSON.parse(stdout);
    },
  };
}

const operator = (): User => user("operator", server.credentials.apiKey);
const admin = (): User => user("admin", guest.apiKey);

function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  let at = value;
  for (const step of path) at = typeof at === "object" && at !== null ? Reflect.get(at, step) : undefined;
  if (typeof at !== "string") throw new Error(`there is no text at ${path.join(".")}`);
  return at;
}

async function createOrganisation(name: string): Promise<{ organisationId: string; apiKey: string }> {
  const created = await operator().json("orgs", "create", name);
  return { organisationId: textAt(created, "organisation", "id"), apiKey: textAt(created, "apiKey") };
}

async function joinAs(role: string, name = `${role} of the house`): Promise<User> {
  const { stdout: token } = await admin().drs("members", "invite", name, "--role", role);
  const person = user(name);
  const login = await person.pipe(token, "login", "--server", server.url, "--invitation-stdin", "--profile", "house");
  expect(login).toMatchObject({ code: 0, stdout: `logged in to ${server.url} as profile house\n` });
  return person;
}

async function document(): Promise<string> {
  const path = join(folder, "bats.pdf");
  await writeFile(path, makePdf({ pages: [{ text: "bats" }] }));
  return path;
}

describe("organisations on the command line", () => {
  test("an operator creates one; its key is all that stdout gets, and it reaches nothing else", async () => {
    const { code, stdout, stderr } = await operator().drs("orgs", "create", "Another");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^drs_\S+\n$/);
    expect(stderr).toMatch(/^admin key of org_\S+ \(plan unlimited\); it is not shown again\n$/);
    const other = user("other", stdout.trim());
    expect(await other.json("orgs", "list")).toMatchObject({ total: 1, data: [{ name: "Another" }] });
    for (const list of [
      ["datasets", "list"],
      ["members", "list"],
      ["members", "invitations"],
    ]) {
      expect(await other.json(...list)).toMatchObject({ total: 0, data: [] });
    }
    expect(textAt(await operator().json("orgs", "list"), "data", 1, "id")).toBe(guest.organisationId);
    const invited = await admin().json("members", "invite", "x", "--role", "viewer");
    const foreign = await other.drs("members", "revoke", textAt(invited, "id"));
    expect(foreign).toMatchObject({ code: 1, stderr: expect.stringContaining("drs members invitations") });
    expect(await other.drs("orgs", "create", "Mine")).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/only those who run this service .*\n .*drs whoami/),
    });
    expect(JSON.stringify(await other.json("audit", "--limit", "100"))).not.toContain(guest.organisationId);
  });

  test("a plan is set, an organisation put on it, and it stays while it is in use", async () => {
    const set = ["plans", "set", "team", "--max-upload", "1kB", "--max-storage", "10GB", "--max-retention-days", "0.5"];
    expect((await operator().drs(...set)).stdout).toBe("plan team is set\n");
    const { organisationId, apiKey } = await createOrganisation("Planned");
    const updated = await operator().drs("orgs", "update", "Planned", "--plan", "team", "--name", "Bound");
    expect(updated.stdout).toBe(`${organisationId} is Bound on plan team\n`);
    const bound = user("bound", apiKey);
    expect(await bound.json("plans", "list")).toMatchObject({
      total: 1,
      data: [{ name: "team", limits: { maxUploadBytes: 1024, maxStorageBytes: 10 * 2 ** 30, maxPages: null } }],
    });
    expect((await bound.drs("plans", "list")).stdout).toMatch(/^team +1kB +10GB +0\.5 d +– +– +–$/m);
    expect(await operator().drs("plans", "delete", "team")).toMatchObject({ code: 1 });
    expect(await operator().drs("orgs", "update", organisationId)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--plan"),
    });
    await operator().json("orgs", "update", organisationId, "--plan", "unlimited");
    expect((await operator().drs("plans", "delete", "team")).stdout).toBe("plan team is deleted\n");
    expect(await operator().drs("plans", "set", "x", "--max-upload", "huge")).toMatchObject({ code: 2 });
  });
});

describe("links on the command line", () => {
  test("stay valid under another key, or all end at once", async () => {
    const uploaded = await operator().drs("upload", await document(), "--json");
    const [id = ""] = /ds_[0-9a-z]+/.exec(uploaded.stdout) ?? [];
    const linkOf = async (): Promise<string> => textAt(await operator().json("datasets", "get", id), "share", "url");
    const before = await linkOf();
    expect((await operator().drs("links", "rotate")).stdout).toMatch(/^a new key signs links; earlier ones expire/);
    expect((await fetch(before)).status).toBe(200);
    const revoked = await operator().json("links", "rotate", "--revoke", "--yes");
    expect(revoked).toMatchObject({ revoked: true, rotatedAt: expect.any(Number) });
    expect((await fetch(before)).status).toBe(403);
    expect((await fetch(await linkOf())).status).toBe(200);
    expect(await admin().drs("links", "rotate")).toMatchObject({ code: 4 });
    expect(JSON.stringify(await operator().json("audit", "--limit", "10"))).toContain('"link.revoke"');
  });
});

describe("members on the command line", () => {
  test("a viewer logs in by invitation, may read and search, and may not upload", async () => {
    const invite = await admin().drs("members", "invite", "ann", "--role", "viewer", "--expires-in-hours", "1");
    expect(invite.stdout).toMatch(/^drsi_\S+\n$/);
    expect(invite.stderr).toContain("drs login --server URL --invitation");
    const token = invite.stdout.trim();
    const open = await admin().drs("members", "invitations");
    expect(open.stdout).toMatch(/^inv_\S+ +ann +viewer /m);
    expect(open.stdout).not.toContain(token);

    const viewer = user("ann");
    const keyboard = Object.assign(new PassThrough(), { isTTY: true });
    const login = ["login", "--server", server.url, "--invitation", "--name", "Ann"];
    const asking = runCaptured(login, viewer.env, new AbortController().signal, keyboard);
    keyboard.write(`${token}\r`);
    const { code, stdout, stderr } = await asking;
    expect({ code, stderr }).toEqual({ code: 0, stderr: `invitation for ${server.url}: \n` });
    expect(stdout + stderr).not.toMatch(/drs[pi]_/);
    expect((await stat(configPath(viewer.env))).mode & 0o777).toBe(0o600);

    expect((await viewer.drs("whoami")).stdout).toMatch(
      /^member +Ann \(mem_\S+\), viewer$[^]*^workspace +default \(ws_\S+\)$[^]*^may +read, search$/m,
    );
    expect(await viewer.json("datasets", "list")).toMatchObject({ total: 0 });
    expect(await viewer.drs("search", "bats")).toMatchObject({ code: 0 });
    const upload = await viewer.drs("upload", await document());
    expect(upload).toMatchObject({ code: 4 });
    expect(upload.stdout + upload.stderr).toContain('the role "viewer" lacks the scope "write"');
    expect(await viewer.drs("members", "list")).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("drs members role MEMBER ROLE"),
    });
    expect(await viewer.pipe(token, "login", "--server", server.url, "--invitation-stdin")).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/has been used.*\n.*drs members invite/),
    });
  });

  test("a new role counts at once, and a removed member is refused", async () => {
    const person = await joinAs("viewer", "bob");
    const id = textAt(await person.json("whoami"), "memberId");
    expect((await admin().drs("members", "role", id, "member")).stdout).toBe(`${id} (bob) is member\n`);
    expect(await person.drs("upload", await document())).toMatchObject({ code: 0 });
    expect((await admin().drs("members", "list")).stdout).toMatch(new RegExp(`^${id} +bob +member`, "m"));
    expect((await admin().drs("members", "role", "BOB", "member")).stdout).toBe(`${id} (bob) is member\n`);
    expect((await admin().drs("members", "remove", "bob", "--yes")).stdout).toBe(`${id} is removed\n`);
    expect(await person.drs("datasets", "list")).toMatchObject({ code: 4 });
    expect(await admin().drs("members", "role", id, "king")).toMatchObject({ code: 2 });
    expect(await admin().drs("members", "remove", id, "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("drs members list"),
    });
  });

  test("logging out ends the personal token", async () => {
    const person = await joinAs("viewer", "cleo");
    const apiKey = (await readProfiles(person.env)).byName.get("house")?.apiKey ?? "";
    const drs = createDrs({ server: server.url, apiKey });
    expect(await drs.me()).toMatchObject({ role: "viewer", keyId: null });
    expect((await person.drs("logout")).stdout).toBe(`logged out from ${server.url}\n`);
    await expect(drs.me()).rejects.toMatchObject({ code: "unauthenticated" });
    expect((await readProfiles(person.env)).byName.size).toBe(0);
  });

  test("the profile is kept while the token still works", async () => {
    const person = await joinAs("viewer", "dora");
    const path = configPath(person.env);
    const { current, byName } = await readProfiles(person.env);
    const apiKey = byName.get("house")?.apiKey;
    const elsewhere = { current, profiles: { house: { server: "http://127.0.0.1:1", apiKey } } };
    await writeFile(path, JSON.stringify(elsewhere));
    expect(await person.drs("logout")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/could not be ended: cannot reach.*\n.*drs profiles remove house/),
    });
    expect((await readProfiles(person.env)).byName.size).toBe(1);
    expect(await person.drs("profiles", "remove", "house")).toMatchObject({ code: 0 });
  });

  test("a member works in the workspace that is named, uploads too", async () => {
    await admin().json("workspaces", "create", "second");
    const person = await joinAs("member", "eve");
    const home = textAt(await person.json("whoami"), "workspaceId");
    const second = textAt(await person.json("whoami", "--workspace", "second"), "workspaceId");
    expect(second).not.toBe(home);
    const there = user("eve", undefined, { DRS_WORKSPACE: second });
    expect(await there.drs("upload", await document())).toMatchObject({ code: 0 });
    expect(await person.json("datasets", "list", "--workspace", "second")).toMatchObject({
      total: 1,
      data: [{ workspaceId: second }],
    });
    expect(JSON.stringify(await person.json("datasets", "list", "--limit", "100"))).not.toContain(second);
    expect(await person.drs("datasets", "list", "--workspace", "third")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("drs workspaces list"),
    });
  });
});

describe("keys and the audit log on the command line", () => {
  test("a key with an expiry is rotated; the old one ends, and the audit log has both", async () => {
    const made = await admin().json("keys", "create", "--name", "app", "--expires-in-days", "2");
    const [id, key] = [textAt(made, "id"), textAt(made, "key")];
    const rotated = await admin().drs("keys", "rotate", "app", "--overlap-hours", "0");
    expect(rotated.stdout).toMatch(/^drs_\S+\n$/);
    expect(rotated.stderr).toMatch(/, until \d{4}-.*; it is not shown again/);
    expect(await user("old", key).drs("datasets", "list")).toMatchObject({ code: 4 });
    expect(await user("new", rotated.stdout.trim()).drs("datasets", "list")).toMatchObject({ code: 0 });
    const limited = await admin().json("keys", "create", "--requests-per-minute", "7");
    expect(limited).toMatchObject({ requestsPerMinute: 7, expiresAt: null });
    const { stdout: table } = await admin().drs("keys", "list");
    expect(table).toMatch(/LAST USED +EXPIRES/);
    expect(table).toMatch(/ never /);
    expect(await admin().drs("keys", "create", "--expires-in-days", "4000")).toMatchObject({ code: 2 });

    const page = await admin().json("audit", "--action", "key.", "--limit", "3");
    expect(page).toMatchObject({
      limit: 3,
      data: [
        { action: "key.create", target: textAt(limited, "id") },
        { action: "key.rotate" },
        { action: "key.create", target: id },
      ],
    });
    await joinAs("viewer", "fay");
    const { code, stdout } = await admin().drs("audit", "--all");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^WHEN +ACTION +ON +BY/);
    for (const action of ["member.invite", "member.join", "key.rotate", "organisation.create"])
      expect(stdout).toContain(` ${action} `);
    expect(stdout).not.toMatch(/drs[pi]?_\S{26}_/);
    expect((await admin().drs("audit", "--action", "plan.")).stderr).toBe("nothing of that kind has been done\n");
    const person = await joinAs("admin", "gil");
    expect(await person.drs("audit")).toMatchObject({ code: 4, stderr: expect.stringContaining("only owners") });
  });

  test("secrets are not taken from the command line", async () => {
    const person = user("hal");
    expect(await person.drs("login", "--server", server.url, "--invitation", "drsi_x")).toMatchObject({ code: 2 });
    expect(await person.drs("login", "--server", server.url, "--invitation")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--invitation-stdin"),
    });
    expect(await person.pipe("k", "login", "--server", server.url, "--api-key-stdin", "--name", "x")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--invitation"),
    });
    const refused = await person.pipe("drsi_wrong", "login", "--server", server.url, "--invitation-stdin");
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining("not valid") });
    expect((await readProfiles(person.env)).byName.size).toBe(0);
  });
});
