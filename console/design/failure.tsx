import type { ReactElement } from "react";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "./button.tsx";

interface FailureProps {
  readonly error: unknown;
  /** Tries again. */
  readonly onRetry?: (() => void) | undefined;
}

/** What did not work, in the words of the service, and what to do. */
export function Failure({ error, onRetry }: FailureProps): ReactElement {
  const { common } = useTexts();
  return (
    <div className="failure" role="alert">
      <p>{messageOf(error)}</p>
      {onRetry && <Button onClick={onRetry}>{common.tryAgain}</Button>}
    </div>
  );
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
