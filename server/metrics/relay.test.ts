import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { createMeter } from "./meter.ts";
import { createRelay, enterMeasured, type Measured } from "./relay.ts";

const never = 3_600_000;
const page = { stage: "read", result: "succeeded", reason: "" } as const;

test("measurements of one process arrive in the registry of another, once", async () => {
  const registry = new Registry();
  const meter = createMeter(registry);
  const sent: Measured[] = [];
  const relay = createRelay((measured) => {
    // As over a channel between processes.
    sent.push(structuredClone(measured));
    enterMeasured(meter, structuredClone(measured));
  }, never);
  relay.count("pages", page, 3);
  relay.count("pages", page);
  relay.count("pages", { ...page, result: "failed", reason: "time" });
  relay.time("searches", { part: "turn" }, 0.002);
  relay.time("searches", { part: "turn" }, 3);
  relay.flush();
  relay.flush();
  relay.count("pages", page);
  relay.close();
  expect(sent).toHaveLength(2);
  const text = await registry.metrics();
  expect(text).toContain('drs_pages_total{stage="read",result="succeeded",reason=""} 5');
  expect(text).toContain('drs_pages_total{stage="read",result="failed",reason="time"} 1');
  expect(text).toContain('drs_search_part_duration_seconds_bucket{le="0.0025",part="turn"} 1');
  expect(text).toContain('drs_search_part_duration_seconds_count{part="turn"} 2');
});

test("a busy process reports before it has collected many times", () => {
  const sent: Measured[] = [];
  const relay = createRelay((measured) => sent.push(measured), never);
  for (let call = 0; call < 12_000; call++) {
    relay.time("stores", { store: "blobs", operation: "get", result: "succeeded" }, call);
  }
  const lengths = () => sent.map(({ timed }) => timed[0]?.seconds.length);
  expect(lengths()).toEqual([5_000, 5_000]);
  relay.close();
  expect(lengths()).toEqual([5_000, 5_000, 2_000]);
});
