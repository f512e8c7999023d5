import { readSet, type SetName } from "../sets.ts";
import type { Collection } from "./collection.ts";
import { type CollectionName, collectionNames, readCollection } from "./collections.ts";

/** The maximum number of questions of a set, spread over all of them. */
const maxQuestions = 250;

/** Reads a collection, or a set of the evaluation as a collection of one document. */
export async function readAny(dataDir: string, name: SetName | CollectionName): Promise<Collection> {
  if (isCollection(name)) return readCollection(dataDir, name);
  const { documents, questions } = await readSet(dataDir, name);
  const step = Math.ceil(questions.length / maxQuestions);
  return {
    name,
    documents: [{ fileName: `${name}.pdf`, pages: documents }],
    questions: questions
      .filter((_, index) => index % step === 0)
      .map(({ text, answers }) => ({
        text,
        document: 0,
        pages: new Set(Array.from(answers, (place) => place + 1)),
        isNamed: false,
      })),
  };
}

const isCollection = (name: string): name is CollectionName => collectionNames.some((one) => one === name);
