import type { ReactElement } from "react";
import { UploadList } from "./upload-list.tsx";
import { useUploadEntries } from "./use-uploads.ts";

/** Uploads above the list of documents, while there are any that are not done. */
export function UploadNotice(): ReactElement | null {
  const entries = useUploadEntries();
  return entries.some(({ status }) => status !== "done") ? <UploadList /> : null;
}
