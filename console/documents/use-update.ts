import type { Dataset, DatasetChanges } from "@drs/client";
import { useMutation, type UseMutationResult, useQueryClient } from "@tanstack/react-query";
import { useDrs } from "../shell/drs.tsx";
import { showToast } from "../shell/toasts.tsx";
import { useTexts } from "../texts/texts.tsx";

/** Properties of each dialog of a document. */
export interface DocumentDialogProps {
  readonly dataset: Dataset;
  readonly onClose: () => void;
}

/** Changes a document, then closes its dialog. The dialog shows a failure. */
export function useUpdate({
  dataset: { id },
  onClose,
}: DocumentDialogProps): UseMutationResult<Dataset, Error, DatasetChanges> {
  const { documents } = useTexts();
  const drs = useDrs();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (changes: DatasetChanges) => drs.datasets.update(id, changes),
    meta: { isShown: true },
    async onSuccess() {
      onClose();
      showToast(documents.saved);
      await queries.invalidateQueries({ queryKey: ["datasets"] });
    },
  });
}
