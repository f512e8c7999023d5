import { between } from "../measuring/random.ts";

/** Noise is taken from one long strip, because new noise for every vector would take longer than storing it. */
const stripLength = 2 ** 20;
/** The number of topics that the documents share. */
const topicCount = 500;
/** Weights of the vectors that the pages of a document, and of a topic, share; the rest is each page's own. */
const documentShare = 0.6;
const topicShare = 0.8;

/** Unit vectors that cluster by document and by topic, as those of real pages do. */
export interface Vectors {
  /** Returns the centre of the pages of a document. */
  document(dimensions: number): Float32Array;
  /** Returns `count` vectors of a page. The first is added to each of the others with the weight `lean`. */
  page(document: Float32Array, count: number, lean: number): readonly Float32Array[];
  /** Returns the vector of a query. */
  query(dimensions: number): Float32Array;
}

export function createVectors(random: () => number): Vectors {
  const strip = new Float32Array(stripLength).map(() => gaussian(random));
  const noiseAt = (from: number, dimensions: number): Float32Array => strip.subarray(from, from + dimensions);
  const noise = (dimensions: number): Float32Array => noiseAt(between(random, 0, stripLength - dimensions), dimensions);
  const topic = (dimensions: number): Float32Array =>
    noiseAt(between(random, 0, topicCount - 1) * dimensions, dimensions);
  return {
    document: noise,
    page(document, count, lean) {
      const about = topic(document.length);
      const whole = mix(document, about, noise(document.length));
      const parts = Array.from({ length: count - 1 }, () => mix(document, about, noise(document.length)));
      return [whole, ...parts.map((part) => leaning(part, whole, lean))];
    },
    query: (dimensions) => mix(noise(dimensions), topic(dimensions), noise(dimensions)),
  };
}

function mix(document: Float32Array, topic: Float32Array, own: Float32Array): Float32Array {
  const mixed = new Float32Array(own.length);
  let squares = 0;
  for (let index = 0; index < mixed.length; index++) {
    const value = documentShare * (document[index] ?? 0) + topicShare * (topic[index] ?? 0) + (own[index] ?? 0);
    mixed[index] = value;
    squares += value * value;
  }
  const length = Math.sqrt(squares);
  for (let index = 0; index < mixed.length; index++) mixed[index] = (mixed[index] ?? 0) / length;
  return mixed;
}

/** Adds the vector of the whole page to that of a part, as the text spaces of packs do; see models/README.md. */
function leaning(part: Float32Array, whole: Float32Array, lean: number): Float32Array {
  if (lean === 0) return part;
  const drawn = part.map((value, index) => value + lean * (whole[index] ?? 0));
  const length = Math.sqrt(drawn.reduce((sum, value) => sum + value * value, 0));
  return drawn.map((value) => value / length);
}

/** Returns a normally distributed number: Box and Muller, "A Note on the Generation of Random Normal Deviates", 1958. */
function gaussian(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
