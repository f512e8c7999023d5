import { describe, expect, test } from "vitest";
import { onePage, unknownJob } from "../world.ts";
import { objectOf, type RestClient } from "./client.ts";
import { failure, job, succeededJob } from "./shapes.ts";

/** Server-sent events of GET /v1/jobs/:id/watch (HTML, section 9.2). */
export function eventCases(rest: RestClient): void {
  interface ServerEvent {
    readonly id: number;
    readonly data: Record<string, unknown>;
  }

  /** Strict on purpose: nothing but events with one line of id and one of data, and comments. */
  function eventsIn(text: string): ServerEvent[] {
    expect(text.endsWith("\n\n")).toBe(true);
    const blocks = text.slice(0, -2).split("\n\n");
    return blocks.flatMap((block) => {
      if (block.startsWith(":")) return [];
      const match = /^id: (\d+)\ndata: (\{.*\})$/.exec(block);
      if (match === null) throw new Error(`not an event: ${block}`);
      const data: unknown = JSON.parse(match[2] ?? "");
      return [{ id: Number(match[1]), data: objectOf(data) }];
    });
  }

  describe("events", () => {
    test("show a job on its way, each a whole job, and end with it", async () => {
      const { json } = await rest.form("/v1/vectorize", [["file", onePage, "one.pdf"]]);
      const { id } = objectOf(objectOf(json)["data"]);
      const { status, headers, text } = await rest.send(`/v1/jobs/${String(id)}/watch`);
      expect(status).toBe(200);
      expect(headers.get("content-type")).toBe("text/event-stream");
      expect(headers.get("cache-control")).toBe("no-store");
      const events = eventsIn(text);
      const fields = Object.keys(job).toSorted();
      expect(events.map(({ data }) => Object.keys(data).toSorted())).toEqual(events.map(() => fields));
      const ids = events.map((event) => event.id);
      expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
      expect(events.at(-1)?.data).toEqual({
        ...succeededJob,
        id,
        progress: { stage: "done", pagesDone: 1, pagesTotal: 1 },
      });
      expect(events.at(-1)?.data).toEqual(await rest.data(`/v1/jobs/${String(id)}`));
    });

    test("go on after the last one seen, named by header or address; the final one always comes", async () => {
      const path = `/v1/jobs/${rest.world.zooJob}/watch`;
      const [last] = eventsIn((await rest.send(path)).text);
      const id = String(last?.id);
      const again = await rest.send(path, { headers: { "last-event-id": id } });
      expect(eventsIn(again.text)).toEqual([last]);
      expect(eventsIn((await rest.send(`${path}?afterRevision=${id}`)).text)).toEqual([last]);
    });

    test.each([
      ["a job that there is not", `/v1/jobs/${unknownJob}/watch`, {}, 404, "NOT_FOUND"],
      ["no key", "/v1/jobs/JOB/watch", { "x-api-key": "" }, 401, "UNAUTHENTICATED"],
      ["an id that no event has", "/v1/jobs/JOB/watch", { "last-event-id": "abc" }, 400, "INVALID_ARGUMENT"],
      ["a client that takes JSON only", "/v1/jobs/JOB/watch", { accept: "application/json" }, 406, "INVALID_ARGUMENT"],
    ])("%s is an error, not an event", async (_, template, headers, expected, code) => {
      const path = template.replace("JOB", rest.world.zooJob);
      const { status, json } = await rest.send(path, { headers: headers as Record<string, string> });
      expect([status, json]).toEqual([expected, failure(code)]);
    });
  });
}
