import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import { createDrs, type Drs } from "@drs/client";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { run } from "../../cli/main.ts";
import { runCaptured } from "../../cli/testing/run-captured.ts";
import { startServer, type TestServer } from "../service/start.ts";

let server: TestServer;
let admin: Drs;
let nobody: Drs;
beforeAll(async () => {
  server = await startServer();
  admin = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
  nobody = createDrs({ server: server.url });
});
afterEach(() => rm(join(server.dataDir, "config"), { recursive: true, force: true }));
afterAll(() => server.remove());

async function newMember() {
  const { token } = await admin.members.invite({ name: "Ada", role: "viewer" });
  const { member, token: apiKey } = await nobody.acceptInvitation({ token });
  return { id: member.id, drs: createDrs({ server: server.url, apiKey }) };
}

test("a device that a member approves gets a token of the member's, once, with its name", async () => {
  const ada = await newMember();
  const started = await nobody.devices.start("drs on workbench");
  const { deviceCode, userCode } = started;
  expect(started).toMatchObject({
    verificationUri: `${server.url}/device`,
    verificationUriComplete: `${server.url}/device?code=${userCode}`,
    intervalSeconds: 5,
  });
  expect(await nobody.devices.poll(deviceCode)).toBeNull();
  const typed = userCode.toLowerCase().replace("-", " ");
  expect(await ada.drs.devices.get(typed)).toMatchObject({ userCode, name: "drs on workbench" });
  await ada.drs.devices.approve(typed);
  const session = await nobody.devices.poll(deviceCode);
  expect(session).toMatchObject({ member: { id: ada.id } });
  const device = createDrs({ server: server.url, apiKey: session?.token });
  expect(await device.me()).toMatchObject({ memberId: ada.id, role: "viewer", deviceName: "drs on workbench" });
  expect((await ada.drs.me()).deviceName).toBeNull();
  await expect(nobody.devices.poll(deviceCode)).rejects.toMatchObject({ code: "permission_denied" });
  const { data } = await admin.audit.page({ action: "device.approve" });
  expect(data[0]).toMatchObject({ actor: `member ${ada.id}`, details: '"drs on workbench"' });
  await admin.members.remove(ada.id);
  await expect(device.me()).rejects.toMatchObject({ code: "unauthenticated" });
});

test("a code is answered once", async () => {
  const [ada, eve] = [await newMember(), await newMember()];
  const { deviceCode, userCode } = await nobody.devices.start("a device");
  await ada.drs.devices.deny(userCode);
  await expect(eve.drs.devices.approve(userCode)).rejects.toMatchObject({ code: "not_found" });
  await expect(eve.drs.devices.get(userCode)).rejects.toMatchObject({ code: "not_found" });
  await expect(nobody.devices.poll(deviceCode)).rejects.toThrow(/denied in the browser/);
});

test("an approval ends with its member", async () => {
  const ada = await newMember();
  const { deviceCode, userCode } = await nobody.devices.start("a device");
  await ada.drs.devices.approve(userCode);
  await admin.members.remove(ada.id);
  await expect(nobody.devices.poll(deviceCode)).rejects.toMatchObject({ code: "permission_denied" });
});

test("an API key approves nothing, and nobody approves without a key", async () => {
  const { userCode } = await nobody.devices.start("a device");
  await expect(admin.devices.approve(userCode)).rejects.toThrow(/sign in as a member/);
  await expect(nobody.devices.get(userCode)).rejects.toMatchObject({ code: "unauthenticated" });
});

test("a device that asks too often is told when to ask", async () => {
  const { deviceCode } = await nobody.devices.start("a device");
  expect(await nobody.devices.poll(deviceCode)).toBeNull();
  const answer = await fetch(`${server.url}/v1/sessions/devices/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ deviceCode }),
  });
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "5"]);
});

test("the user code is no device code", async () => {
  const { userCode, deviceCode } = await nobody.devices.start("a device");
  const wrong = deviceCode.replace(/.$/, (last) => (last === "A" ? "Q" : "A"));
  for (const code of [userCode, wrong]) {
    await expect(nobody.devices.poll(code)).rejects.toThrow(/^this code has expired or been used/);
  }
});

test("drs login --browser keeps the token that a browser has approved", async () => {
  const ada = await newMember();
  const env = { XDG_CONFIG_HOME: join(server.dataDir, "config"), SSH_TTY: "/dev/pts/0" };
  let said = "";
  let approved: Promise<void> | undefined;
  const stderr = new Writable({
    write(piece: Buffer, _encoding, done) {
      said += piece.toString();
      const [, code] = /enter this code: (\S+)\n/.exec(said) ?? [];
      if (code !== undefined) approved ??= ada.drs.devices.approve(code);
      done();
    },
  });
  const words = ["login", "--server", server.url, "--browser", "--profile", "lab"];
  const stdout = new Writable({ write: (_piece, _encoding, done) => done() });
  const { signal } = new AbortController();
  expect([await run(words, { stdout, stderr, env, signal }), said]).toEqual([0, expect.stringContaining("this code")]);
  await approved;
  expect(said).toContain(`open ${server.url}/device in a browser`);
  const who = await runCaptured(["whoami", "--json"], env);
  expect(JSON.parse(who.stdout)).toMatchObject({ memberId: ada.id, deviceName: expect.stringMatching(/^drs on /) });
});

test("drs open --print gives an address that signs one browser in", async () => {
  const env = { DRS_DATA_DIR: server.dataDir, XDG_CONFIG_HOME: join(server.dataDir, "config") };
  const { code, stdout } = await runCaptured(["open", "--print"], env);
  expect(code).toBe(0);
  const [, address, credential] = /^(.+)\/#code=(drsc_\S+)\n$/.exec(stdout) ?? [];
  expect(address).toBe(server.url);
  const signIn = () =>
    fetch(`${server.url}/v1/sessions`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-drs-console": "1" },
      body: JSON.stringify({ credential }),
    });
  expect([(await signIn()).status, (await signIn()).status]).toEqual([200, 403]);
});

test("drs open starts no server", async () => {
  const env = { DRS_DATA_DIR: join(server.dataDir, "empty"), XDG_CONFIG_HOME: join(server.dataDir, "config") };
  const { code, stdout } = await runCaptured(["open", "--print"], env);
  expect(stdout).toBe("");
  expect(code).not.toBe(0);
});
