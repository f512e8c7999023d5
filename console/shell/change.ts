import { useMutation, type UseMutationResult, useQueryClient } from "@tanstack/react-query";

interface Change<Input, Result> {
  readonly run: (input: Input) => Promise<Result>;
  /** First parts of the keys of the queries to read again. */
  readonly stale: readonly string[];
  readonly done?: (result: Result, input: Input) => void;
  /** Whether the view shows a failure itself, as dialogs do. By default a toast shows it. */
  readonly isShown?: boolean;
}

/** Runs a change, then reads stale data again. */
export function useChange<Input, Result>({
  run,
  stale,
  done,
  isShown = false,
}: Change<Input, Result>): UseMutationResult<Result, Error, Input> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: run,
    meta: { isShown },
    async onSuccess(result, input) {
      done?.(result, input);
      await Promise.all(stale.map((name) => queries.invalidateQueries({ queryKey: [name] })));
    },
  });
}
