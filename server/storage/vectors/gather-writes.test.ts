import type { Table as ArrowTable } from "apache-arrow";
import { expect, it } from "vitest";
import { newWorkspaceId } from "../../domain/ids.ts";
import { gatherWrites } from "./write.ts";
import { loadLance } from "./lance.ts";

const pack = { id: "some@1.0.0", spaces: [] };
const { arrow } = await loadLance();

const rowsOf = (...ids: readonly string[]): ArrowTable =>
  new arrow.Table({ id: arrow.vectorFromArray(ids, new arrow.Utf8()) });

/** Each write waits until the test releases it. */
function openGathering() {
  const written: { readonly ids: readonly string[]; end(name: string | Error): void }[] = [];
  const write = gatherWrites(async (_of, _pack, rows) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const end = (name: string | Error): void => (name instanceof Error ? reject(name) : resolve(name));
    written.push({ ids: Array.from(rows.getChild("id") ?? [], String), end });
    return promise;
  });
  const of = { workspaceId: newWorkspaceId(), pack: pack.id };
  const idsOf = (at: number) => expect.poll(() => written[at]?.ids);
  return { written, idsOf, put: (...ids: readonly string[]) => write(of, pack, rowsOf(...ids)), write };
}

it("writes everything that comes during a write together after it", async () => {
  const { written, idsOf, put } = openGathering();
  const puts = [put("a1", "a2"), put("b"), put("c")];
  await idsOf(0).toEqual(["a1", "a2"]);
  puts.push(put("d"));
  written[0]?.end("first");
  await idsOf(1).toEqual(["b", "c", "d"]);
  written[1]?.end("second");
  expect(await Promise.all(puts)).toEqual(["first", "second", "second", "second"]);
  const last = put("e");
  await idsOf(2).toEqual(["e"]);
  written[2]?.end("third");
  expect(await last).toBe("third");
});

it("writes a row again if it comes during the write that has it", async () => {
  const { written, idsOf, put } = openGathering();
  const puts = [put("a"), put("b"), put("c", "b"), put("d")];
  await idsOf(0).toEqual(["a"]);
  written[0]?.end("first");
  await idsOf(1).toEqual(["b"]);
  written[1]?.end("second");
  await idsOf(2).toEqual(["c", "b", "d"]);
  written[2]?.end("third");
  expect(await Promise.all(puts)).toEqual(["first", "second", "third", "third"]);
});

it("rejects for all callers with rows in a failed write, and continues", async () => {
  const { written, idsOf, put } = openGathering();
  const outcomes = Promise.allSettled([put("a"), put("b"), put("c")]);
  await idsOf(0).toEqual(["a"]);
  written[0]?.end("first");
  await idsOf(1).toEqual(["b", "c"]);
  const others = put("d");
  written[1]?.end(new Error("the disk is full"));
  await idsOf(2).toEqual(["d"]);
  written[2]?.end("third");
  expect(await others).toBe("third");
  expect((await outcomes).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
});

it("writes to tables of other workspaces in the meantime, and no more rows at once than fit", async () => {
  const { written, idsOf, put, write } = openGathering();
  const many = (letter: string) => Array.from({ length: 1_500 }, (_, at) => `${letter}${at}`);
  const puts = [put("a"), put(...many("b")), put(...many("c"))];
  await idsOf(0).toEqual(["a"]);
  puts.push(write({ workspaceId: newWorkspaceId(), pack: pack.id }, pack, rowsOf("of others")));
  await idsOf(1).toEqual(["of others"]);
  written[0]?.end("first");
  await idsOf(2).toHaveLength(1_500);
  written[2]?.end("second");
  await idsOf(3).toHaveLength(1_500);
  written[3]?.end("third");
  written[1]?.end("another");
  expect(await Promise.all(puts)).toEqual(["first", "second", "third", "another"]);
});
