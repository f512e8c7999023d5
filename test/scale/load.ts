import { setTimeout as sleep } from "node:timers/promises";
import { makePdf } from "../fixtures/pdf.ts";
import type { Balancer } from "./balancer.ts";
import { rest } from "./rest.ts";

/** Clients that upload and list, with short pauses, and send nothing a second time. */
export interface Load {
  /** Answers other than 200, and requests without an answer. */
  readonly failures: readonly unknown[];
  /** Ids of the datasets that were acknowledged. */
  readonly uploaded: readonly string[];
  /** Requests that were answered with 200. */
  answered(): number;
  stop(): Promise<void>;
}

const clients = 4;
const page = makePdf({ pages: [{ text: "A page under load." }] });

export function startLoad(balancer: Balancer, apiKey: string): Load {
  const over = new AbortController();
  const failures: unknown[] = [];
  const uploaded: string[] = [];
  let answered = 0;
  async function run(name: number): Promise<void> {
    for (let turn = 0; !over.signal.aborted; turn++) {
      const url = await balancer.pick();
      const isUpload = turn % 5 === 0;
      const headers = { "idempotency-key": `${name}-${turn}` };
      try {
        const answer = isUpload
          ? await rest(url, "extract", { apiKey, headers, form: { file: page } })
          : await rest(url, "datasets?limit=1", { apiKey });
        if (answer.status === 200) answered += 1;
        else failures.push({ url, ...answer });
        if (isUpload && answer.status === 200) uploaded.push(String(answer.data["datasetId"]));
      } catch (cause) {
        failures.push({ url, cause });
      }
      await sleep(50);
    }
  }
  const running = Promise.all(Array.from({ length: clients }, (_, name) => run(name)));
  return {
    failures,
    uploaded,
    answered: () => answered,
    async stop() {
      over.abort();
      await running;
    },
  };
}
