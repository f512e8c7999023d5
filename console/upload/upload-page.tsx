import type { ReactElement } from "react";
import { Icon } from "../design/icon.tsx";
import { useTexts } from "../texts/texts.tsx";
import { ByAddress } from "./by-address.tsx";
import { FileButtons } from "./file-buttons.tsx";
import { UploadList } from "./upload-list.tsx";
import { UploadOptions } from "./upload-options.tsx";
import { useUploadEntries } from "./use-uploads.ts";

/** Uploads files, folders or an address, with options. */
export default function UploadPage(): ReactElement {
  const { upload } = useTexts();
  return (
    <div className="stack">
      <title>{`${upload.title} · drs`}</title>
      <h1>{upload.title}</h1>
      <div className="upload-grid">
        <div className="stack">
          <div className="drop-target">
            <Icon name="upload" />
            <p className="drop-words">{upload.drop}</p>
            <p className="quiet small">{upload.about}</p>
            <FileButtons />
          </div>
          <ByAddress />
        </div>
        <UploadOptions />
      </div>
      <UploadList entries={useUploadEntries()} />
    </div>
  );
}
