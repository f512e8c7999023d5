import { useSearchParams } from "wouter";

/** The sort orders; the first is the default. */
export const sorts = ["-createdAt", "createdAt", "fileName", "-fileSize", "-itemCount", "expiresAt"] as const;
export type Sort = (typeof sorts)[number];
export const states = ["working", "failed", "searchable", "unsearchable"] as const;
export type State = (typeof states)[number];

/** The query for documents in the address; "" for any. */
export interface Question {
  readonly sort: Sort;
  /** A part of the name, case-insensitive. */
  readonly name: string;
  /** An extension without a dot. */
  readonly format: string;
  readonly state: State | "";
  /** Conditions on metadata. */
  readonly where: string;
}

/** Returns the query and a function that changes it. A change replaces the address without a history entry. */
export function useQuestion(): readonly [Question, (change: Partial<Question>) => void] {
  const [parameters, setParameters] = useSearchParams();
  const question: Question = {
    sort: sorts.find((sort) => sort === parameters.get("sort")) ?? "-createdAt",
    name: parameters.get("name") ?? "",
    format: parameters.get("format") ?? "",
    state: states.find((state) => state === parameters.get("state")) ?? "",
    where: parameters.get("where") ?? "",
  };
  const change = (changed: Partial<Question>): void => {
    const next = Object.entries({ ...question, ...changed }).filter(
      ([name, value]) => value !== "" && !(name === "sort" && value === "-createdAt"),
    );
    setParameters(new URLSearchParams(next), { replace: true });
  };
  return [question, change];
}
