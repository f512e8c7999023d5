import type { ReactElement } from "react";
import { UploadList } from "./upload-list.tsx";
import { useUploadEntries } from "./use-uploads.ts";

/** Unfinished uploads, shown above the list of documents, which has the finished ones. */
export function UploadNotice(): ReactElement | null {
  return <UploadList entries={useUploadEntries().filter(({ status }) => status !== "done")} />;
}
