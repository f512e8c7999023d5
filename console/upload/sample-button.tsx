import { useMutation } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { useLocation } from "wouter";
import { Button } from "../design/button.tsx";
import { useTexts } from "../texts/texts.tsx";
import { useUploads } from "./use-uploads.ts";

/** Metadata of the samples, by which people can find and delete them. */
const metadata = { sample: true };

/** Uploads the sample documents, for people who have no document to try. */
export default function SampleButton(): ReactElement {
  const { upload } = useTexts();
  const uploads = useUploads();
  const [, navigate] = useLocation();
  const take = useMutation({
    mutationFn: fetchSamples,
    onSuccess(files) {
      uploads.add(
        files.map((file) => ({ file })),
        { vectorize: true, metadata },
      );
      navigate("/upload");
    },
  });
  return (
    <Button disabled={take.isPending} onClick={() => take.mutate()}>
      {upload.samples}
    </Button>
  );
}

/** A document that comes with the console. */
interface SampleFile {
  /** The path below `console/` of the service. */
  readonly name: string;
  /** The name that it is uploaded with. */
  readonly fileName: string;
}

/** `console/build.ts` replaces this name with the list. */
declare const SAMPLES: readonly SampleFile[];

/** Fetches the sample documents from the service. */
async function fetchSamples(): Promise<readonly File[]> {
  return Promise.all(
    SAMPLES.map(async ({ name, fileName }) => {
      const answer = await fetch(`console/${name}`);
      if (!answer.ok) throw new Error(`${fileName}: HTTP ${answer.status}`);
      // With the current time, a sample added again after an interruption would count as another file.
      return new File([await answer.blob()], fileName, { type: "application/pdf", lastModified: 0 });
    }),
  );
}
