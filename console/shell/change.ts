import { useMutation, type UseMutationResult, useQueryClient } from "@tanstack/react-query";

interface Change<Input, Result> {
  readonly run: (input: Input) => Promise<Result>;
  /** The first parts of the keys of what is read again. */
  readonly stale: readonly string[];
  readonly done?: (result: Result, input: Input) => void;
  /** The view shows a failure itself, as dialogs do; default: a toast says it. */
  readonly isShown?: boolean;
}

/** Changes something, then reads again what that has made stale. */
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
