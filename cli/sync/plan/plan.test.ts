import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { datasetsOf, emptyRecord, type Held, type SyncRecord } from "../state/record.ts";
import { type Action, type Plan, planSync, type PlanChoices, type Sides } from "./plan.ts";

const held = (datasetId: string, sha256: string, status: Held["status"] = "ready"): Held => ({
  datasetId,
  sha256,
  status,
  vectorized: false,
});

interface Scene {
  /** Contents by path. */
  readonly files?: Readonly<Record<string, string>>;
  readonly records?: readonly Partial<SyncRecord>[];
  readonly unseen?: readonly string[];
  /** Datasets that the service has lost. */
  readonly lost?: readonly string[];
  /** Datasets that nobody claims, by `content name`. */
  readonly strange?: Readonly<Record<string, readonly Held[]>>;
}

function sides({ files = {}, records = [], unseen = [], lost = [], strange = {} }: Scene): Sides {
  return {
    files: new Map(Object.entries(files).map(([path, sha256]) => [path, { size: 10, sha256 }])),
    records: new Map(records.map((record) => [record.path ?? "", { ...emptyRecord(record.path ?? ""), ...record }])),
    isUnseen: (path) => unseen.includes(path),
    isStored: (id) => !lost.includes(id),
    unclaimed: (sha256, fileName) => strange[`${sha256} ${fileName}`] ?? [],
  };
}

const plain: PlanChoices = { delete: false, deleteAdopted: false, vectorize: false, again: false };
const plan = (scene: Scene, choices: Partial<PlanChoices> = {}): Plan =>
  planSync(sides(scene), { ...plain, ...choices });
const told = ({ actions }: Plan): string[] =>
  actions.map((action) => {
    if (action.kind === "move") return `move ${action.from} ${action.path}`;
    if (action.kind === "delete" || action.kind === "clean")
      return `${action.kind} ${action.path} ${action.datasets.map(({ datasetId }) => datasetId).join(",")}`;
    if (action.kind === "upload" && action.replaces !== undefined) return `change ${action.path}`;
    return `${action.kind} ${action.path}`;
  });

describe("a plan", () => {
  test("sends what is new and leaves what is alike", () => {
    const found = plan({ files: { a: "A", b: "B" }, records: [{ path: "a", held: held("1", "A") }] });
    expect(told(found)).toEqual(["upload b"]);
    expect(found).toMatchObject({ unchanged: 1, known: 1 });
  });

  test("gives the dataset of an earlier content a new version, and keeps others until that is ready", () => {
    const found = plan({ files: { a: "B" }, records: [{ path: "a", held: held("1", "A") }] });
    expect(told(found)).toEqual(["change a"]);
    expect(found.actions).toMatchObject([{ replaces: { datasetId: "1" } }]);
    expect(found.records).toEqual([]);
    const after = plan({
      files: { a: "B" },
      records: [{ path: "a", held: held("2", "B"), replaced: [held("1", "A")] }],
    });
    expect(told(after)).toEqual(["clean a 1"]);
    const working = held("2", "B", "working");
    expect(
      told(plan({ files: { a: "B" }, records: [{ path: "a", held: working, replaced: [held("1", "A")] }] })),
    ).toEqual(["follow a"]);
  });

  test("sends nothing for files that were renamed or exchanged", () => {
    const records = [
      { path: "a", held: held("1", "A") },
      { path: "b", held: held("2", "B") },
    ];
    expect(told(plan({ files: { c: "A", b: "B" }, records }))).toEqual(["move a c"]);
    const exchanged = plan({ files: { a: "B", b: "A" }, records });
    expect(told(exchanged)).toEqual(["move b a", "move a b"]);
    expect(exchanged.records.map(({ path, held }) => [path, held?.datasetId])).toEqual([
      ["a", "2"],
      ["b", "1"],
    ]);
  });

  test("has the service told of a new name until it knows it, and of none where the folder alone is another", () => {
    const records = [{ path: "x/a", held: held("1", "A") }];
    expect(plan({ files: { "y/a": "A" }, records }).records).toMatchObject(
      [
        { path: "x/a", held: undefined },
        { path: "y/a", held: { datasetId: "1" } },
      ].toReversed(),
    );
    expect(plan({ files: { "y/a": "A" }, records }).records.some((record) => record.held?.isMisnamed)).toBe(false);
    const { records: after } = plan({ files: { b: "A" }, records });
    const renamed = after.find(({ path }) => path === "b");
    expect(renamed?.held).toMatchObject({ datasetId: "1", isMisnamed: true });
    const interrupted = plan({ files: { b: "A" }, records: renamed === undefined ? [] : [renamed] });
    expect(told(interrupted)).toEqual(["name b"]);
    expect(interrupted.unchanged).toBe(0);
  });

  test("sends a copy", () => {
    expect(told(plan({ files: { a: "A", b: "A" }, records: [{ path: "a", held: held("1", "A") }] }))).toEqual([
      "upload b",
    ]);
  });

  test("takes an earlier content back that is still there", () => {
    const records = [{ path: "a", held: held("2", "B", "working"), replaced: [held("1", "A")] }];
    const found = plan({ files: { a: "A" }, records });
    expect(found.records).toMatchObject([{ held: { datasetId: "1" }, replaced: [{ datasetId: "2" }] }]);
    expect(told(found)).toEqual(["clean a 2"]);
  });

  test("deletes the datasets of files that are gone only if it may", () => {
    const scene = { records: [{ path: "a", held: held("2", "B"), replaced: [held("1", "A")] }] };
    expect(plan(scene)).toMatchObject({ actions: [], kept: ["a"] });
    expect(told(plan(scene, { delete: true }))).toEqual(["delete a 2,1"]);
  });

  test("does not touch what is not seen", () => {
    const scene = { files: { c: "A" }, records: [{ path: "a", held: held("1", "A") }], unseen: ["a"] };
    expect(told(plan(scene, { delete: true }))).toEqual(["upload c"]);
  });

  test("sends again what the service has lost", () => {
    const scene = { files: { a: "A" }, records: [{ path: "a", held: held("1", "A") }], lost: ["1"] };
    expect(told(plan(scene))).toEqual(["upload a"]);
  });

  test("takes documents for its own that have the content and the name, each once", () => {
    const strange = { "A a": [held("9", "A")] };
    const found = plan({ files: { "x/a": "A", "y/a": "A" }, strange });
    expect(told(found)).toEqual(["adopt x/a", "upload y/a"]);
  });

  test("does not send again what was refused or has failed", () => {
    const refused = [{ path: "a", refused: { sha256: "A", reason: "no document" } }];
    expect(plan({ files: { a: "A" }, records: refused })).toMatchObject({ actions: [], refused: 1 });
    expect(told(plan({ files: { a: "B" }, records: refused }))).toEqual(["upload a"]);
    expect(told(plan({ files: { a: "A" }, records: refused }, { again: true }))).toEqual(["upload a"]);
    const unread = { sha256: "B", reason: "damaged", isFailure: true } as const;
    const version = [{ path: "a", held: held("1", "A"), refused: unread }];
    expect(plan({ files: { a: "B" }, records: version })).toMatchObject({ actions: [], failed: 1, refused: 0 });
    expect(told(plan({ files: { a: "B" }, records: version }, { again: true }))).toEqual(["change a"]);
    const failed = [{ path: "a", held: held("1", "A", "failed") }];
    expect(plan({ files: { a: "A" }, records: failed })).toMatchObject({ actions: [], failed: 1 });
  });

  test("makes searchable what is not yet", () => {
    const records = [{ path: "a", held: held("1", "A") }];
    expect(told(plan({ files: { a: "A" }, records }, { vectorize: true }))).toEqual(["vectorize a"]);
  });
});

/** Returns the records after everything has been done, and what was sent for it. */
function done(scene: Sides, { records, actions }: Plan): { readonly sides: Sides; readonly sent: readonly string[] } {
  const after = new Map(scene.records);
  for (const record of records) after.set(record.path, record);
  const gone = new Set<string>();
  const sent: string[] = [];
  const recordOf = (path: string): SyncRecord => after.get(path) ?? emptyRecord(path);
  const name = ({ path }: Action): void => {
    const record = recordOf(path);
    after.set(path, { ...record, held: record.held && { ...record.held, isMisnamed: undefined } });
  };
  const steps: Readonly<Record<Action["kind"], (action: Action) => void>> = {
    upload(action) {
      const { path } = action;
      const sha256 = scene.files.get(path)?.sha256 ?? "";
      sent.push(`${path} ${sha256}`);
      const id = (action.kind === "upload" ? action.replaces?.datasetId : undefined) ?? `new ${path} ${sha256}`;
      for (const { datasetId } of datasetsOf(recordOf(path))) if (datasetId !== id) gone.add(datasetId);
      after.set(path, { ...recordOf(path), held: held(id, sha256), replaced: [] });
    },
    move: name,
    name,
    adopt: () => undefined,
    follow({ path }) {
      const record = recordOf(path);
      for (const { datasetId } of record.replaced) gone.add(datasetId);
      after.set(path, { ...record, held: record.held && { ...record.held, status: "ready" }, replaced: [] });
    },
    vectorize: () => undefined,
    clean(action) {
      if (action.kind === "clean") for (const { datasetId } of action.datasets) gone.add(datasetId);
      after.set(action.path, { ...recordOf(action.path), replaced: [] });
    },
    delete(action) {
      if (action.kind === "delete") for (const { datasetId } of action.datasets) gone.add(datasetId);
      after.delete(action.path);
    },
  };
  for (const action of actions) steps[action.kind](action);
  return { sides: { ...scene, records: after, isStored: (id) => !gone.has(id) && scene.isStored(id) }, sent };
}

const paths = ["a", "b", "c", "d/a", "d/e"];
const contents = ["A", "B", "C", "D"];
const anyFiles = fc.dictionary(fc.constantFrom(...paths), fc.constantFrom(...contents), { noNullPrototype: true });
const anyRecords = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...paths), fc.array(fc.constantFrom(...contents), { maxLength: 3 })), {
    selector: ([path]) => path,
  })
  .map((all) =>
    all.map(([path, sums]): Partial<SyncRecord> => {
      const [first, ...replaced] = sums.map((sum, index) => held(`${path}${index}`, sum));
      return { path, held: first, replaced };
    }),
  );

test("once a plan is done both sides are alike, there is nothing more to do, and nothing was sent that was there", () => {
  fc.assert(
    fc.property(anyFiles, anyRecords, (files, records) => {
      const before = sides({ files, records });
      const choices = { ...plain, delete: true };
      const first = planSync(before, choices);
      const after = done(before, first);
      const second = planSync(after.sides, choices);
      expect(told(second)).toEqual([]);
      expect(second.unchanged).toBe(Object.keys(files).length);

      const there = [...after.sides.records.values()].flatMap(datasetsOf);
      expect(there.map(({ sha256 }) => sha256).toSorted()).toEqual(Object.values(files).toSorted());
      expect(new Set(there.map(({ datasetId }) => datasetId)).size).toBe(there.length);
      // As many are sent of each content as were missing.
      const had = [...before.records.values()].flatMap(datasetsOf);
      for (const content of contents) {
        const wanted = Object.values(files).filter((sum) => sum === content).length;
        const owned = had.filter(({ sha256 }) => sha256 === content).length;
        expect(after.sent.filter((sent) => sent.endsWith(` ${content}`))).toHaveLength(Math.max(0, wanted - owned));
      }
    }),
    { numRuns: 500 },
  );
});
