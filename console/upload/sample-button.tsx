import { useMutation } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { useLocation } from "wouter";
import { Button } from "../design/button.tsx";
import { useTexts } from "../texts/texts.tsx";
import { fetchSamples } from "./samples.ts";
import { useUploads } from "./use-uploads.ts";

/** Metadata of the samples, by which people can find and delete them. */
const metadata = { sample: true };

/** Uploads the sample documents, for people who have none at hand. */
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
