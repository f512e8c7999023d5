import { useEffect } from "react";
import { usePreference } from "../shell/preferences.ts";
import { useMe } from "../shell/session.tsx";
import { addressOf, type Question } from "./question.ts";

/** A question that was answered in this browser. */
interface RecentSearch {
  /** Whose it is: a workspace and who was signed in. */
  readonly owner: string;
  readonly words: string;
  readonly address: string;
}

const maxKept = 30;
const maxShown = 8;

/** The last questions of who is signed in, newest first, and what forgets them. They are in this browser alone. */
export function useRecentSearches(): readonly [searches: readonly RecentSearch[], forget: () => void] {
  const owner = useOwner();
  const [kept, keep] = usePreference("searches");
  const all = parsed(kept);
  const forget = (): void => keep(written(all.filter((search) => search.owner !== owner)));
  return [all.filter((search) => search.owner === owner).slice(0, maxShown), forget];
}

/** Keeps a question once it is answered. Pictures are not kept with it. */
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

/** What somebody else has written there is passed over. */
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
