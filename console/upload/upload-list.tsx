import type { ReactElement } from "react";
import { Button } from "../design/button.tsx";
import { VirtualRows } from "../documents/virtual-rows.tsx";
import { useTexts } from "../texts/texts.tsx";
import type { UploadEntry } from "./entry.ts";
import { UploadRow } from "./upload-row.tsx";
import { useUploadEntries, useUploads } from "./use-uploads.ts";

/** Pixels; the style sheet is made for this height. */
const rowHeight = 92;

/** Uploads, each with its progress, its job and its actions. */
export function UploadList({ entries }: { readonly entries: readonly UploadEntry[] }): ReactElement | null {
  const { upload } = useTexts();
  const uploads = useUploads();
  if (entries.length === 0) return null;
  return (
    <section className="stack">
      <div className="title-row">
        <h2>{upload.list}</h2>
        {entries.some(({ status }) => status === "done") && (
          <Button kind="plain" onClick={() => uploads.clear()}>
            {upload.clear}
          </Button>
        )}
      </div>
      <div className="documents">
        <VirtualRows label={upload.list} count={entries.length} rowHeight={rowHeight}>
          {(index) => {
            const entry = entries[index];
            return entry && <UploadRow key={entry.id} entry={entry} />;
          }}
        </VirtualRows>
      </div>
    </section>
  );
}

/** Unfinished uploads, shown above the list of documents, which has the finished ones. */
export function UploadNotice(): ReactElement | null {
  return <UploadList entries={useUploadEntries().filter(({ status }) => status !== "done")} />;
}
