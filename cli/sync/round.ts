import type { Drs } from "@drs/client";
import { mapConcurrent } from "../bounded.ts";
import type { RetryPolicy } from "../upload/sending/retry.ts";
import type { Patterns } from "../upload/sources/patterns.ts";
import { isUnseen, type Scan, scanFolder } from "./folder/scan.ts";
import { sumFiles } from "./folder/sums.ts";
import { type LocalFile, type Plan, planSync, type PlanChoices } from "./plan/plan.ts";
import { withLanded, withVersions } from "./service/landed.ts";
import { refreshed, takeStock } from "./service/stock.ts";
import { datasetsOf, emptyRecord, type FileFacts, type SyncRecord } from "./state/record.ts";
import type { SyncState } from "./state/state.ts";

export interface RoundSettings extends PlanChoices {
  readonly drs: Drs;
  readonly state: SyncState;
  readonly root: string;
  readonly patterns: Patterns;
  readonly retryPolicy: RetryPolicy;
  readonly signal: AbortSignal;
  /**
   * Files that changed later than this are left for the next round, milliseconds since the epoch; undefined if none
   * are.
   */
  readonly settledBefore?: number | undefined;
  /** Also asks the service for the datasets of unchanged files, because others may have deleted them. */
  readonly checkAll: boolean;
  /** Called with the number of files that have been read. */
  readonly onRead?: (read: number, files: number) => void;
}

/** The state of both sides, and the plan that makes them equal. */
export interface Round {
  readonly plan: Plan;
  readonly scan: Scan;
  /** Files and folders that could not be read. */
  readonly unread: ReadonlyMap<string, unknown>;
  /** Some files have just been written and are not looked at yet. */
  readonly unsettled: boolean;
}

const questionsAtOnce = 4;
/** Number of files whose checksums are saved with one write; after a kill, at most this many are read again. */
const sumsAtOnce = 200;

/** Looks at the folder and at the service. Changes only the local records. */
export async function lookAtBoth(settings: RoundSettings): Promise<Round> {
  const { drs, state, root, patterns, retryPolicy, signal, settledBefore, onRead = () => undefined } = settings;
  const scan = await scanFolder(root, patterns, signal);
  const young = youngFiles(scan.files, settledBefore);
  const files = new Map([...scan.files].filter(([path]) => !young.has(path)));
  let read = 0;
  const unkept: SyncRecord[] = [];
  const keep = (): void => state.put(...unkept.splice(0));
  const { sums, unread: unreadFiles } = await sumFiles(files, {
    root,
    known: (path) => state.records.get(path)?.sum,
    signal,
    onSum(path, sum) {
      unkept.push({ ...(state.records.get(path) ?? emptyRecord(path)), sum });
      if (unkept.length >= sumsAtOnce) keep();
      onRead((read += 1), files.size);
    },
  }).finally(keep);
  const unread = new Map([...scan.unread, ...unreadFiles]);
  const local = new Map<string, LocalFile>([...sums].map(([path, { size, sha256 }]) => [path, { size, sha256 }]));

  const access = { drs, retryPolicy, signal };
  const unfinished = [...state.records.values()].filter(({ held }) => held !== undefined && held.status !== "ready");
  await mapConcurrent(unfinished, questionsAtOnce, async (record) => {
    const now = await refreshed(access, record);
    if (now !== record)
      state.put({ ...(state.records.get(record.path) ?? record), held: now.held, refused: now.refused });
  });
  const isNew = ([path, { sha256 }]: readonly [string, LocalFile]): boolean =>
    state.records.get(path)?.held?.sha256 !== sha256;
  const sought = new Set([...local].filter((file) => settings.checkAll || isNew(file)).map(([, { sha256 }]) => sha256));
  for (const { sendings } of state.records.values()) for (const { sha256 } of sendings) sought.add(sha256);
  const stock = await takeStock(access, state.records.values(), sought);
  state.put(...withVersions(state.records.values(), stock, Date.now()));
  state.put(...withLanded(state.records.values(), stock, Date.now()));
  const named = new Set([...state.records.values()].flatMap(datasetsOf).map(({ datasetId }) => datasetId));
  const plan = planSync(
    {
      files: local,
      records: state.records,
      isUnseen: (path) => young.has(path) || isUnseen(path, unread, patterns),
      isStored: (datasetId) => stock.isStored(datasetId),
      unclaimed: (sha256, fileName) =>
        stock.find(sha256, fileName).filter(({ datasetId, status }) => status !== "failed" && !named.has(datasetId)),
    },
    settings,
  );
  return { plan, scan, unread, unsettled: young.size > 0 };
}

/** Returns whether documents whose response was lost have arrived since. */
export async function haveLanded(settings: RoundSettings): Promise<boolean> {
  const { drs, state, retryPolicy, signal } = settings;
  const open = [...state.records.values()].filter(({ sendings }) => sendings.length > 0);
  if (open.length === 0) return false;
  const sought = new Set(open.flatMap(({ sendings }) => sendings.map(({ sha256 }) => sha256)));
  const stock = await takeStock({ drs, retryPolicy, signal }, state.records.values(), sought);
  const versions = withVersions(state.records.values(), stock, Date.now());
  state.put(...versions);
  const landed = withLanded(
    open.map(({ path }) => state.records.get(path) ?? emptyRecord(path)),
    stock,
    Date.now(),
  );
  const datasets = (records: readonly SyncRecord[]): number => records.flatMap(datasetsOf).length;
  const before = datasets(landed.map(({ path }) => state.records.get(path) ?? emptyRecord(path)));
  state.put(...landed);
  return versions.length > 0 || datasets(landed) > before;
}

function youngFiles(files: ReadonlyMap<string, FileFacts>, settledBefore: number | undefined): ReadonlySet<string> {
  if (settledBefore === undefined) return new Set();
  const changedAt = ({ modifiedAt, changedAt }: FileFacts): number => Math.max(modifiedAt, changedAt);
  const now = Date.now();
  // A wrong timestamp in the future must not exclude a file until then.
  const isYoung = (facts: FileFacts): boolean => changedAt(facts) > settledBefore && changedAt(facts) <= now;
  return new Set([...files].filter(([, facts]) => isYoung(facts)).map(([path]) => path));
}
