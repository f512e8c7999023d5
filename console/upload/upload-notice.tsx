import type { ReactElement } from "react";
import { UploadList } from "./upload-list.tsx";
import { useUploadEntries } from "./use-uploads.ts";

/** Uploads that are not done, above the list of documents, which has the others. */
export function UploadNotice(): ReactElement | null {
  return <UploadList entries={useUploadEntries().filter(({ status }) => status !== "done")} />;
}
