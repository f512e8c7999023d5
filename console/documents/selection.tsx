import type { Dataset } from "@drs/client";
import { type ReactElement, useState } from "react";
import { Button } from "../design/button.tsx";
import { Checkbox } from "../design/field.tsx";
import { useChange } from "../shell/change.tsx";
import { useDrs } from "../shell/drs.tsx";
import { useFormats } from "../shell/formats.ts";
import { showFailure, showToast } from "../shell/toasts.tsx";
import { useTexts } from "../texts/texts.tsx";
import { DeleteSelectedDialog } from "./delete-dialogs.tsx";

/** Maximum number of selected documents: the service deletes at most this many at once. */
const maxSelected = 1_000;

export interface Selection {
  readonly selected: ReadonlyMap<string, Dataset>;
  readonly select: (datasets: readonly Dataset[], isSelected: boolean) => void;
  readonly clear: () => void;
}

/** The selection in a list. `list` identifies the list; another list starts without a selection. */
export function useSelection(list: string): Selection {
  const [{ of, selected }, set] = useState({ of: list, selected: new Map<string, Dataset>() });
  const current = of === list ? selected : new Map<string, Dataset>();
  return {
    selected: current,
    select(datasets, isSelected) {
      const next = new Map(current);
      for (const dataset of datasets) {
        if (!isSelected) next.delete(dataset.id);
        else if (next.size < maxSelected) next.set(dataset.id, dataset);
      }
      set({ of: list, selected: next });
    },
    clear: () => set({ of: list, selected: new Map() }),
  };
}

interface SelectionBarProps {
  readonly selection: Selection;
  /** Rows of the list. */
  readonly count: number;
  /** Fetches all documents of the list. */
  readonly all: () => Promise<readonly Dataset[]>;
}

/** Selects all documents of the list, and offers actions on the selected ones. */
export function SelectionBar({ selection, count, all }: SelectionBarProps): ReactElement {
  const { documents } = useTexts();
  const formats = useFormats();
  const { selected, select, clear } = selection;
  const [isDeleting, setDeleting] = useState(false);
  const drs = useDrs();
  const unsearchable = [...selected.values()].filter(({ searchable, itemCount }) => !searchable && itemCount > 0);
  const vectorize = useChange({
    async run(ids: readonly string[]) {
      const failures: unknown[] = [];
      // One after another: they count against the request limit of the plan. A failure does not stop the others.
      for (const id of ids) await drs.datasets.vectorize(id).catch((cause: unknown) => failures.push(cause));
      return failures;
    },
    stale: ["jobs", "datasets"],
    done([failure]) {
      if (failure === undefined) showToast(documents.vectorizing);
      else showFailure(failure);
      clear();
    },
  });
  return (
    <div className="selection">
      {count <= maxSelected && (
        <Checkbox
          label={documents.selectAll}
          checked={selected.size >= count}
          onChange={({ target: { checked } }) => {
            if (checked) all().then((datasets) => select(datasets, true), showFailure);
            else clear();
          }}
        />
      )}
      {selected.size > 0 && (
        <>
          <output className="quiet numbers">{documents.selected(formats.count(selected.size))}</output>
          {unsearchable.length > 0 && (
            <Button
              icon="search"
              disabled={vectorize.isPending}
              onClick={() => vectorize.mutate(unsearchable.map(({ id }) => id))}
            >
              {documents.vectorize}
            </Button>
          )}
          <Button kind="danger" icon="delete" onClick={() => setDeleting(true)}>
            {documents.delete}
          </Button>
          <Button kind="plain" onClick={clear}>
            {documents.selectNone}
          </Button>
        </>
      )}
      {isDeleting && (
        <DeleteSelectedDialog ids={[...selected.keys()]} onDone={clear} onClose={() => setDeleting(false)} />
      )}
    </div>
  );
}
