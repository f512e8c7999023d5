import { DrsError } from "@drs/client";
import type { ReactElement } from "react";
import type { ErrorTexts, Refusal } from "../texts/en/common.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "./button.tsx";

interface FailureProps {
  readonly error: unknown;
  /** Tries again. */
  readonly onRetry?: (() => void) | undefined;
}

/** The failure in the words of the service, with a button to try again. */
export function Failure({ error, onRetry }: FailureProps): ReactElement {
  const { common } = useTexts();
  return (
    <div className="failure" role="alert">
      <p>
        <FailureText error={error} />
      </p>
      {onRetry && <Button onClick={onRetry}>{common.tryAgain}</Button>}
    </div>
  );
}

/** The meaning of an error in the chosen language, followed by the service's own sentence. */
export function FailureText({ error }: { readonly error: unknown }): ReactElement {
  const { errors } = useTexts();
  const meaning = meaningOf(error, errors);
  if (meaning === undefined) return <>{messageOf(error)}</>;
  return (
    <>
      {meaning}{" "}
      <span className="small" lang="en">
        ({messageOf(error)})
      </span>
    </>
  );
}

/** The same as a text. */
export function useFailureText(): (error: unknown) => string {
  const { errors } = useTexts();
  return (error) => {
    const meaning = meaningOf(error, errors);
    return meaning === undefined ? messageOf(error) : `${meaning} (${messageOf(error)})`;
  };
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function meaningOf(error: unknown, { reasons, refusals }: ErrorTexts): string | undefined {
  if (!(error instanceof DrsError)) return undefined;
  return reasons[error.reason ?? ""] ?? refusals[refusalOf(error)];
}

/** Uses the HTTP status where the code alone is ambiguous. */
const refusalOf = ({ code, status }: DrsError): Refusal => refusalsByStatus.get(status ?? 0) ?? code;
const refusalsByStatus: ReadonlyMap<number, Refusal> = new Map([
  [413, "too_large"],
  [415, "unsupported"],
  [422, "unprocessable"],
]);
