import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { FormDialog } from "../design/form-dialog.tsx";
import { Skeleton } from "../design/waiting.tsx";
import { useChange } from "../shell/change.ts";
import { useDrs } from "../shell/drs.tsx";
import { useFormats } from "../shell/formats.ts";
import { showToast } from "../shell/toasts.tsx";
import { useTexts } from "../texts/texts.tsx";

interface DeleteSelectedDialogProps {
  /** At most as many as one request may name. */
  readonly ids: readonly string[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Asks before several documents are deleted, and says how much space that frees. */
export function DeleteSelectedDialog({ ids, onDone, onClose }: DeleteSelectedDialogProps): ReactElement {
  const { documents } = useTexts();
  const formats = useFormats();
  const drs = useDrs();
  const counted = (count: number): string => documents.count(formats.count(count), count === 1);
  const { data: trial, error } = useQuery({
    queryKey: ["deletion", ids],
    queryFn: async ({ signal }) => drs.datasets.deleteMany({ ids }, { dryRun: true, signal }),
    gcTime: 0,
  });
  const remove = useChange({
    run: async () => drs.datasets.deleteMany({ ids }),
    stale: ["datasets", "jobs"],
    isShown: true,
    done(deletion) {
      showToast(documents.deletedMany(counted(deletion.ids.length), formats.bytes(deletion.freedBytes)));
      onDone();
      onClose();
    },
  });
  return (
    <FormDialog
      title={documents.deleteTitle(counted(ids.length))}
      submit={documents.delete}
      isDangerous
      isPending={remove.isPending || trial === undefined}
      error={remove.error ?? error}
      onSubmit={() => remove.mutate(undefined)}
      onClose={onClose}
    >
      {trial === undefined ? (
        <Skeleton height="3em" />
      ) : (
        <p>{documents.deleteFrees(counted(trial.matching), formats.bytes(trial.freedBytes))}</p>
      )}
    </FormDialog>
  );
}
