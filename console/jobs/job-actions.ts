import { useMutation, type UseMutationResult, useQueryClient } from "@tanstack/react-query";
import type { Job } from "@drs/client";
import { useDrs } from "../shell/drs.tsx";
import { showToast } from "../shell/toasts.tsx";
import { useTexts } from "../texts/texts.tsx";

interface JobActions {
  /** Takes the id of a finished job. */
  readonly retry: UseMutationResult<Job, Error, string>;
  /** Takes the id of an unfinished job. */
  readonly stop: UseMutationResult<Job, Error, string>;
}

export function useJobActions(): JobActions {
  const { jobs } = useTexts();
  const drs = useDrs();
  const queries = useQueryClient();
  const done = async (text: string): Promise<void> => {
    showToast(text);
    await Promise.all([
      queries.invalidateQueries({ queryKey: ["jobs"] }),
      queries.invalidateQueries({ queryKey: ["datasets"] }),
    ]);
  };
  const retry = useMutation({
    mutationFn: async (id: string) => drs.jobs.retry(id),
    onSuccess: () => done(jobs.retried),
  });
  const stop = useMutation({
    mutationFn: async (id: string) => drs.jobs.cancel(id),
    onSuccess: () => done(jobs.stopped),
  });
  return { retry, stop };
}
