import { createDrs } from "@drs/client";
import { Webhook } from "standardwebhooks";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startReceiver } from "../fixtures/webhook-receiver.ts";
import { startServerProcess } from "../service/process.ts";

const onePage = makePdf({ pages: [{ text: "a page" }] });

/** The processes to kill while a message is sent, and when: before the receiver answers, while it does, or when the job ends. */
const kills = [
  { what: "worker", when: "before the answer" },
  { what: "server", when: "before the answer" },
  { what: "worker", when: "with the answer" },
  { what: "server", when: "with the answer" },
  { what: "worker", when: "with the job" },
  { what: "server", when: "with the job" },
] as const;

test("whatever is killed in whichever step: each message comes, under one id, with one content, signed", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "drs-webhook-kills-"));
  const receiver = await startReceiver();
  const flags = ["--url-allow", "127.0.0.1", "--webhook-timeout-ms", "1000"];
  let server = await startServerProcess(dataDir, flags);
  const { apiKey }: { apiKey: string } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8"));
  const connect = () => createDrs({ server: server.url, apiKey });
  try {
    const { id, secret } = await connect().webhooks.create({ url: receiver.url, events: ["job.finished"] });
    const jobs: string[] = [];
    for (const { what, when } of kills) {
      const kill = async (): Promise<void> => {
        for (const pid of server.workers()) process.kill(pid, "SIGKILL");
        if (what === "worker") return;
        await server.kill();
        server = await startServerProcess(dataDir, flags);
      };
      const killed = Promise.withResolvers<void>();
      let isArmed = when !== "with the job";
      receiver.answerWith((response) => {
        if (!isArmed || when === "with the answer") response.writeHead(204).end();
        if (!isArmed) return;
        isArmed = false;
        kill().then(killed.resolve, killed.reject);
      });
      const job = await connect().datasets.upload(onePage, { fileName: "a.pdf" });
      jobs.push(job.id);
      if (when === "with the job") {
        await connect().jobs.wait(job.id);
        await kill();
      } else await killed.promise;
    }
    const messageIds = jobs.map((job) => `${job}-0`);
    const idsOf = () => receiver.messages.map(({ headers }) => headers["webhook-id"]);
    await expect
      .poll(
        async () => {
          const { data } = await connect().webhooks.deliveriesPage(id, { limit: 100, status: ["delivered"] });
          return data.map(({ messageId }) => messageId).toSorted();
        },
        { timeout: 120_000, interval: 500 },
      )
      .toEqual(messageIds.toSorted());
    expect(new Set(idsOf())).toEqual(new Set(messageIds));
    const contents = new Set(receiver.messages.map(({ headers, body }) => `${headers["webhook-id"]} ${body}`));
    expect(contents.size).toBe(messageIds.length);
    for (const { body, headers } of receiver.messages) expect(new Webhook(secret).verify(body, headers)).toBeDefined();
  } finally {
    await server.terminate();
    await receiver.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}, 400_000);
