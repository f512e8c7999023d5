import { type PageHit, rowKey } from "../domain/ports/vectors.ts";
import type { Reading } from "../domain/ports/pack-ranking.ts";
import { gainsOfLikeness, type Vectors } from "./feedback.ts";
import type { FusionSettings } from "./manifest.ts";
import { baseOf, scaleOf } from "./odds.ts";
import { type Candidate, type Features, featuresOf, gainOf } from "./ranker/gains.ts";

type Group = FusionSettings[number];
export type Hits = ReadonlyMap<string, readonly PageHit[]>;

/**
 * So many hits per space are asked for at least. A shorter answer means that the space has no more to give: a page
 * that is not in it does not match there at all.
 */
export const minCandidates = 100;

/** A page that is far down in one space can still come first; four times the results was enough on the tuning sets. */
export const candidates = (limit: number): number => Math.max(minCandidates, 4 * limit);

/**
 * One ranking out of the hits of several spaces: each page's evidence is a weighted sum of its scores, made into odds
 * of being relevant (`odds.ts`). 0.5 is as likely relevant as not.
 *
 * Scores enter as they are, not standardised per query: they then mean the same in a workspace of three pages as in one
 * of a million, and ranked better than per-query z-scores on the tuning sets.
 *
 * A query in words and a picture asks two groups of spaces; a page's score is then the weighted mean of both. Mixing
 * probabilities rather than odds lets a group that finds nothing stay out of the other's order.
 */
export function fuse(groups: FusionSettings, hits: Hits, reading?: Reading): PageHit[] {
  const asked = askedGroups(groups, hits);
  const totalWeight = asked.reduce((sum, { weight }) => sum + weight, 0);
  const pages = pagesIn(hits);
  for (const group of asked) {
    for (const [key, odds] of groupLogOdds(group, { hits, pages, reading })) {
      const page = pages.get(key);
      if (page === undefined) continue;
      const probability = 1 / (1 + Math.exp(-odds));
      pages.set(key, { ...page, score: page.score + (group.weight / totalWeight) * probability });
    }
  }
  return [...pages.values()].sort((a, b) => b.score - a.score || byPage(a, b));
}

/** The groups that the query asks. */
export const askedGroups = (groups: FusionSettings, hits: Hits): readonly Group[] =>
  groups.filter(({ spaces }) => Object.keys(spaces).some((name) => hits.has(name)));

/** All pages that were found, by `rowKey`, without scores. */
export function pagesIn(hits: Hits): Map<string, PageHit> {
  const pages = new Map<string, PageHit>();
  for (const list of hits.values()) {
    for (const hit of list) {
      const { datasetId, page, generation } = hit;
      pages.set(rowKey(hit), { datasetId, page, generation, score: 0 });
    }
  }
  return pages;
}

/** How a score enters the evidence: as it is, or the more damped the larger it is. */
const curves = {
  linear: (score: number) => score,
  sqrt: (score: number) => Math.sqrt(Math.max(0, score)),
  log: (score: number) => Math.log1p(Math.max(0, score)),
};

interface Found {
  readonly hits: Hits;
  /** All that were found, by `rowKey`. */
  readonly pages: ReadonlyMap<string, PageHit>;
  readonly reading?: Reading | undefined;
}

/** Hears what the evidence for each page is made of. */
export interface Note {
  /** `score` undefined: the space has not found the page. */
  space(key: string, name: string, score: number | undefined, amount: number): void;
  likeness(key: string, gain: number): void;
  features(key: string, features: Features): void;
}

function groupLogOdds(group: Group, found: Found): Map<string, number> {
  const evidence = evidenceOf(group, found);
  const [base, scale] = [baseOf(group, evidence.values()), scaleOf(group.odds)];
  return new Map(Array.from(evidence, ([key, value]) => [key, base + scale * value]));
}

/** The evidence for each page: its scores by the group's weights, and what it gains by likeness and by what it says. */
export function evidenceOf(group: Group, { hits, pages, reading }: Found, note?: Note): Map<string, number> {
  const evidence = new Map(Array.from(pages.keys(), (key) => [key, 0]));
  for (const [name, { curve, weight }] of Object.entries(group.spaces)) {
    const list = hits.get(name);
    if (list === undefined) continue;
    const scores = new Map(list.map((hit) => [rowKey(hit), hit.score]));
    const missing = missingScore(list);
    for (const [key, sum] of evidence) {
      const score = scores.get(key);
      const amount = weight * curves[curve](score ?? missing);
      evidence.set(key, sum + amount);
      note?.space(key, name, score, amount);
    }
  }
  if (group.feedback !== undefined) {
    const gains = gainsOfLikeness(group.feedback, evidence, vectorsOf(hits.get(group.feedback.space) ?? []));
    for (const [key, gain] of gains) {
      evidence.set(key, (evidence.get(key) ?? 0) + gain);
      note?.likeness(key, gain);
    }
  }
  if (group.ranker !== undefined && reading !== undefined) {
    for (const [key, features] of featuresOf(candidatesOf(pages, evidence), reading)) {
      evidence.set(key, (evidence.get(key) ?? 0) + gainOf(group.ranker.weights, features));
      note?.features(key, features);
    }
  }
  return evidence;
}

/** Pages with the evidence that there is for them until now. */
export const candidatesOf = (
  pages: ReadonlyMap<string, PageHit>,
  evidence: ReadonlyMap<string, number>,
): readonly Candidate[] => Array.from(pages, ([key, hit]) => ({ key: hit, evidence: evidence.get(key) ?? 0 }));

/** By `rowKey`; a vector is only decoded when it is asked for. */
function vectorsOf(hits: readonly PageHit[]): Vectors {
  const pages = new Map(hits.map((hit) => [rowKey(hit), hit]));
  return { get: (key) => pages.get(key)?.vector };
}

/** What a page counts in a space that did not return it. */
function missingScore(list: readonly PageHit[]): number {
  const lowest = list.reduce((least, { score }) => Math.min(least, score), Infinity);
  return list.length < minCandidates ? Math.min(0, lowest) : lowest;
}

function byPage(a: PageHit, b: PageHit): number {
  if (a.datasetId !== b.datasetId) return a.datasetId < b.datasetId ? -1 : 1;
  if (a.page !== b.page) return a.page - b.page;
  return a.generation < b.generation ? -1 : 1;
}
