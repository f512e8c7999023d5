import type { ReactElement } from "react";
import { useTexts } from "../texts/texts.tsx";

/** A placeholder for content that is loading. `height` is a CSS length. */
export function Skeleton({ height }: { readonly height: string }): ReactElement {
  return <div className="skeleton" style={{ height }} aria-hidden="true" />;
}

/** Placeholder lines of a list that is loading; screen readers announce it. */
export function Loading({ lines = 3 }: { readonly lines?: number }): ReactElement {
  const { common } = useTexts();
  return (
    <output className="stack">
      <span className="unseen">{common.loading}</span>
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height="3rem" />
      ))}
    </output>
  );
}

interface ProgressProps {
  /** The name of the task. */
  readonly label: string;
  readonly done: number;
  readonly total: number;
}

export function Progress({ label, done, total }: ProgressProps): ReactElement {
  return <progress className="progress" aria-label={label} value={done} max={Math.max(total, 1)} />;
}
