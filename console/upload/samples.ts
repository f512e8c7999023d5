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
export async function fetchSamples(): Promise<readonly File[]> {
  return Promise.all(
    SAMPLES.map(async ({ name, fileName }) => {
      const answer = await fetch(`console/${name}`);
      if (!answer.ok) throw new Error(`${fileName}: HTTP ${answer.status}`);
      // With the current time, a sample added again after an interruption would count as another file.
      return new File([await answer.blob()], fileName, { type: "application/pdf", lastModified: 0 });
    }),
  );
}
