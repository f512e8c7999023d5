import { useEffect } from "react";
import { usePreference } from "../shell/preferences.ts";
import { useMe } from "../shell/session.tsx";
import { addressOf, type Question } from "./question.ts";

/** A query that was answered in this browser. */
interface RecentSearch {
  /** The workspace, and the member or key that was signed in. */
  readonly owner: string;
  readonly words: string;
  readonly address: string;
}

const maxKept = 30;
const maxShown = 8;

/** Returns the recent searches of the signed-in person, newest first, and a function that forgets them. */
export function useRecentSearches(): readonly [searches: readonly RecentSearch[], forget: () => void] {
  const owner = useOwner();
  const [kept, keep] = usePreference("searches");
  const all = parsed(kept);
  const forget = (): void => keep(written(all.filter((search) => search.owner !== owner)));
  return [all.filter((search) => search.owner === owner).slice(0, maxShown), forget];
}

/** Stores a query once it is answered. Queries with a picture or a page are not stored. */
export function useKeepSearch(question: Question, isAnswered: boolean): void {
  const owner = useOwner();
  const [kept, keep] = usePreference("searches");
  const { words, pictureId, like } = question;
  const isKept = isAnswered && words !== "" && pictureId === undefined && like === undefined;
  const address = addressOf(question);
  useEffect(() => {
    if (!isKept) return;
    const others = parsed(kept).filter((search) => search.owner !== owner || search.address !== address);
    const next = written([{ owner, words, address }, ...others].slice(0, maxKept));
    if (next !== kept) keep(next);
  }, [isKept, owner, words, address, kept, keep]);
}

function useOwner(): string {
  const { workspaceId, memberId, keyId } = useMe();
  return `${workspaceId} ${memberId ?? keyId ?? ""}`;
}

const written = (searches: readonly RecentSearch[]): string => (searches.length === 0 ? "" : JSON.stringify(searches));

/** Ignores entries of another shape. */
function parsed(text: string): readonly RecentSearch[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter(isRecentSearch) : [];
  } catch {
    return [];
  }
}

const isRecentSearch = (value: unknown): value is RecentSearch =>
  typeof value === "object" &&
  value !== null &&
  ["owner", "words", "address"].every((name) => typeof Reflect.get(value, name) === "string") &&
  String(Reflect.get(value, "address")).startsWith("/search?");
