import type { ReactElement } from "react";
import { useTexts } from "../texts/texts.tsx";

/** In the place of what is being loaded, of its size. `height` is a length of CSS. */
export function Skeleton({ height }: { readonly height: string }): ReactElement {
  return <div className="skeleton" style={{ height }} aria-hidden="true" />;
}

/** Lines of a list that is being loaded; says so to those who listen. */
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
  /** What is under way. */
  readonly label: string;
  readonly done: number;
  readonly total: number;
}

export function Progress({ label, done, total }: ProgressProps): ReactElement {
  return <progress className="progress" aria-label={label} value={done} max={Math.max(total, 1)} />;
}
