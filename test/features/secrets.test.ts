import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createDrs } from "@drs/client";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer } from "../service/start.ts";
import { hasTool } from "../service/tools.ts";

const drs = fileURLToPath(new URL("../../cli/bin/drs.js", import.meta.url));

test("the data folder has no secret but in the credentials of the command line", async () => {
  const server = await startServer();
  try {
    const admin = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
    const nobody = createDrs({ server: server.url });
    const { token: invitation } = await admin.members.invite({ name: "Ada", role: "owner" });
    const open = await admin.members.invite({ name: "Bo", role: "viewer" });
    const { token } = await nobody.acceptInvitation({ token: invitation });
    const key = await admin.keys.create({ name: "deploy" });
    const { deviceCode } = await nobody.devices.start("a device");
    const { code } = await admin.sessions.createCode();
    const secrets = [server.credentials.apiKey, invitation, open.token, token, key.key, deviceCode, code].map((text) =>
      text.slice(-43),
    );
    expect(new Set(secrets).size).toBe(7);
    const files = (await readdir(server.dataDir, { recursive: true, withFileTypes: true })).filter((entry) =>
      entry.isFile(),
    );
    const found: string[] = [];
    let ids = 0;
    for (const { parentPath, name } of files) {
      const bytes = await readFile(join(parentPath, name));
      if (bytes.includes(key.id)) ids += 1;
      if (secrets.some((secret) => bytes.includes(secret))) found.push(name);
    }
    expect(ids).toBeGreaterThan(0);
    expect(found).toEqual(["credentials.json"]);
  } finally {
    await server.remove();
  }
});

test("a busy server at log level debug shows no secret, neither in its log nor in answers to others nor in ps", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "drs-secrets-"));
  const child = spawn(process.execPath, [drs, "serve", "--data-dir", dataDir, "--port", "0", "--log", "debug"]);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const exited = once(child, "exit");
  try {
    await expect.poll(() => said, { timeout: 30_000 }).toMatch(/listening on http\S+/);
    const url = /listening on (http\S+)/.exec(said)?.[1] ?? "";
    const credentials: unknown = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8"));
    const apiKey = String(Object(credentials)["apiKey"]);
    const wrongKey = `${apiKey.slice(0, -4)}wron`;
    const idempotencyKey = "idempotency-key-of-a-caller";
    const secrets = [apiKey.slice(-43), wrongKey.slice(-43), idempotencyKey];
    const call = async (path: string, init: RequestInit = {}, key = apiKey): Promise<string> => {
      const headers = new Headers(init.headers);
      headers.set("x-api-key", key);
      headers.set("idempotency-key", idempotencyKey);
      return (await fetch(`${url}${path}`, { ...init, headers })).text();
    };
    const post = (path: string, body: object): Promise<string> =>
      call(path, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } });

    const form = new FormData();
    form.set("file", new Blob([new Uint8Array(makePdf({ pages: [{ text: "a page" }] }))]), "a.pdf");
    await call("/v1/extract", { method: "POST", body: form });
    const created = await post("/v1/admin/keys", { name: "other" });
    secrets.push(/"key":"drs_\w{26}_([\w-]{43})"/.exec(created)?.[1] ?? "");
    const link = /"url":"([^"]+)"/.exec(await call("/v1/datasets"))?.[1] ?? "";
    const token = new URL(link).searchParams.get("token") ?? "";
    secrets.push(token.split(".").at(-1) ?? "");
    await fetch(link);
    // Everything that goes wrong with a secret in it.
    const failures = [
      await call("/v1/jobs", {}, wrongKey),
      await call(`/v1/jobs/${wrongKey}?token=${token}`, {}, ""),
      await (await fetch(`${link}x`)).text(),
      await (await fetch(link.replace("/v1/share/", "/v1/shares/"))).text(),
      await post("/v1/extract", { url: `http://user:${wrongKey}@127.0.0.1/a.pdf` }),
      await (await fetch(`${url}/drs.v1.JobService/ListJobs?${token}`, { headers: { "x-api-key": wrongKey } })).text(),
    ];
    expect(secrets.every(({ length }) => length >= 20)).toBe(true);
    const processes = hasTool("ps") ? execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }) : "";
    child.kill("SIGTERM");
    await exited;
    expect(said).toContain('"msg":"request"');
    for (const secret of secrets) {
      expect(said).not.toContain(secret);
      expect(failures.join("\n")).not.toContain(secret);
      expect(processes).not.toContain(secret);
    }
  } finally {
    child.kill("SIGKILL");
    await exited;
    await rm(dataDir, { recursive: true, force: true });
  }
});
