import http2 from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { createDrs } from "@drs/client";
import { makePdf } from "../../test/fixtures/pdf.ts";
import type { Bench } from "../benchmark.ts";
import { rssMb } from "../measuring/processes.ts";
import { percentile } from "../measuring/statistics.ts";
import type { Service } from "../service/service.ts";
import { type Attack, bodyHead, connect, drip, form, startAttackers, type Target, uploadLarge } from "./attackers.ts";

const measuredMs = 45_000;
const warmMs = 3_000;
/** A normal client: it asks, reads, thinks and asks again. */
const pauseMs = 10;

type Times = Readonly<Record<string, number[]>>;

/** Measures a normal caller before and while another one occupies as many requests of every kind as it can. */
export async function measureBesideHogs({ folder, report }: Bench, service: Service): Promise<void> {
  const largeLink = await uploadLarge(folder, service);
  const [job] = (await service.drs.jobs.page({ limit: 1 })).data;
  if (job === undefined) throw new Error("the large document has no job");
  await service.drs.workspaces.create("other");
  const { key } = await service.drs.keys.create({ workspace: "other" });
  const acts = await actsOf(service.url, key);
  await timesOf(acts, warmMs);
  report.progress("quiet");
  const quiet = await timesOf(acts, measuredMs);
  const quietMb = rssMb(service.apiPid);

  const hoarders = startAttackers({ ...service, largeLink }, hogRequests(job.id));
  await sleep(warmMs);
  report.progress("512 readers of one link, 256 uploads, 64 searches and 2,048 watches of one key");
  const busy = await timesOf(acts, measuredMs);
  const busyMb = rssMb(service.apiPid);
  hoarders.stop();

  report.table(
    `another caller beside one that takes all it can get; API ${quietMb.toFixed(0)} and ${busyMb.toFixed(0)} MB`,
    Object.keys(acts).map((act) => row(act, quiet[act] ?? [], busy[act] ?? [])),
  );
  for (const act of Object.keys(acts)) {
    const ratio = percentile(busy[act] ?? [], 0.99) / percentile(quiet[act] ?? [], 0.99);
    report.bar(`p99 of another's ${act}, against alone`, ratio, 3, "times");
  }
}

function row(act: string, quiet: readonly number[], busy: readonly number[]) {
  return {
    act,
    requests: busy.length,
    "alone p50 ms": percentile(quiet, 0.5),
    "alone p99 ms": percentile(quiet, 0.99),
    "beside p50 ms": percentile(busy, 0.5),
    "beside p99 ms": percentile(busy, 0.99),
  };
}

type Requests = Readonly<Record<string, () => Promise<void>>>;

async function actsOf(url: string, apiKey: string): Promise<Requests> {
  const drs = createDrs({ server: url, apiKey });
  const headers = { "x-api-key": apiKey };
  const document = Buffer.from(makePdf({ pages: [{ text: "A page about beekeeping" }] }));
  const job = await drs.datasets.upload(document, { fileName: "small.pdf" });
  const answer: unknown = await (await fetch(`${url}/v1/datasets`, { headers })).json();
  const link = /"url":"([^"]+)"/.exec(JSON.stringify(answer))?.[1];
  if (link === undefined) throw new Error("the small document has no link");
  const form = (): FormData => {
    const body = new FormData();
    body.set("file", new Blob([document]), "small.pdf");
    return body;
  };
  const query = { headers: { ...headers, "content-type": "application/json" }, method: "POST" };
  return {
    download: () => whole(link),
    upload: () => whole(`${url}/v1/extract`, { headers, method: "POST", body: form() }),
    search: () => whole(`${url}/v1/search`, { ...query, body: JSON.stringify({ query: { text: "beekeeping" } }) }),
    watch: () => beginning(`${url}/v1/jobs/${job.id}/watch`, headers),
  };
}

async function whole(url: string, init: RequestInit = {}): Promise<void> {
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`a normal client was answered with ${response.status}: ${text}`);
}

/** Reads the first event of an open stream. */
async function beginning(url: string, headers: Record<string, string>): Promise<void> {
  const response = await fetch(url, { headers });
  const reader = response.body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  if (!response.ok || first?.done !== false) throw new Error(`a normal watch was answered with ${response.status}`);
}

/** Returns the milliseconds of each request, sent in turn. Throws if one of them is not answered. */
async function timesOf(acts: Requests, durationMs: number): Promise<Times> {
  const times: Record<string, number[]> = {};
  const until = performance.now() + durationMs;
  while (performance.now() < until) {
    for (const [name, act] of Object.entries(acts)) {
      const since = performance.now();
      await act();
      (times[name] ??= []).push(performance.now() - since);
      await sleep(pauseMs);
    }
  }
  return times;
}

/** Bytes to send each second, just above the minimum rate, so that the connection is never cut off. */
const little = " ".repeat(1_200);
const watchesPerConnection = 128;

const begin = (path: string, type: string, { apiKey }: Target): string =>
  `POST ${path} HTTP/1.1\r\nHost: drs\r\nX-Api-Key: ${apiKey}\r\nContent-Type: ${type}\r\nContent-Length: 9000000\r\n\r\n`;

/** The requests of one client that occupies as many of every kind as it can. */
const hogRequests = (jobId: string): readonly (readonly [Attack, number])[] => [
  [
    (target) => {
      const { pathname, search } = new URL(target.largeLink);
      const socket = connect(target);
      socket.pause();
      socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: drs\r\n\r\n`);
      return socket;
    },
    512,
  ],
  [(target) => drip(target, `${begin("/v1/extract", form, target)}${bodyHead}`, little), 256],
  [(target) => drip(target, `${begin("/v1/search", "application/json", target)}{"query":`, little), 64],
  [
    (target) => {
      const session = http2.connect(target.url);
      for (let nth = 0; nth < watchesPerConnection; nth++) {
        const stream = session.request({ ":path": `/v1/jobs/${jobId}/watch`, "x-api-key": target.apiKey });
        stream.on("error", () => undefined).resume();
      }
      return session;
    },
    2048 / watchesPerConnection,
  ],
];
