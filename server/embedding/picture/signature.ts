import type { Raster } from "../raster.ts";
import { aggregate, signatureDimensions } from "./aggregate.ts";
import { blur } from "./blur.ts";
import { keypointsOf } from "./keypoints.ts";
import { describePatch, patchLength } from "./patches.ts";
import { inkOf, type Plane } from "./plane.ts";
import { withoutRules } from "./morphology.ts";
import { flattenSheet } from "./sheet.ts";

/** Planes are scaled to this geometric mean of their sides, so that a crop of area a shows things 1 / √a larger. */
const meanSide = 240;
/** Share of the longer side: longer than words, shorter than rules. */
const ruleLength = 0.1;
const maxKeypoints = 350;
/** Pixels between samples of a patch, which covers three or four lines and as many words. */
const patchStep = 2.8;

/**
 * The magnifications at which a query may show the page. Each plane has about the size of the magnifications that are tried on
 * it: crops down to 62 % of the page's area (80 % of each side), and shots that show a little around it.
 */
const cropSizes = [
  { plane: 1.2, sizes: [1.26, 1.17] },
  { plane: 1, sizes: [1.08, 1, 0.93] },
];
/** A page found in a photo is whole, except for the error of its corners. */
const sheetSizes = [{ plane: 1, sizes: [1.05, 1, 0.95] }];

/**
 * Computes the signature of a page's picture from the arrangement of its content, which survives scaling, shifting, slight
 * rotation and recompression, and crops as far as a query tries their size. Undefined for a blank page.
 *
 * A signature sums random Fourier features (Rahimi and Recht, "Random Features for Large-Scale Kernel Machines", 2007) of the
 * patches around keypoints, so that the cosine of two signatures counts their matching patches: an efficient match kernel (Bo and
 * Sminchisescu, 2009). Patches that a page repeats get less weight, as in Jégou and Zisserman, "Triangulation embedding and
 * democratic aggregation for image search" (2014), and a signed square root evens out the remaining effect of repetitions (Jégou
 * et al., "Aggregating local image descriptors into compact codes", 2012).
 */
export function pageSignature(picture: Raster): Float32Array | undefined {
  const [signature] = signaturesAt(picture, [{ plane: 1, sizes: [1] }]);
  return signature;
}

/**
 * Computes signatures of a query picture for each size at which it may show its page. If the picture is a photo in which the page
 * can be distinguished from its background, the flattened page gets signatures too. The page sought is the one closest to any of
 * the signatures. Empty if the picture is blank.
 */
export function querySignatures(picture: Raster): Float32Array[] {
  const sheet = flattenSheet(picture);
  return [...signaturesAt(picture, cropSizes), ...(sheet === undefined ? [] : signaturesAt(sheet, sheetSizes))];
}

/** Reused for each picture: a megabyte. */
const patches = new Float32Array(maxKeypoints * patchLength);
const features = new Float32Array(maxKeypoints * signatureDimensions);

function signaturesAt(picture: Raster, tried: typeof cropSizes): Float32Array[] {
  return tried.flatMap(({ plane, sizes }) => {
    const prepared = prepare(picture, 1 / plane);
    const keypoints = keypointsOf(prepared, maxKeypoints);
    return sizes.flatMap((size) => {
      const step = (patchStep * size) / plane;
      let count = 0;
      for (const keypoint of keypoints) {
        if (describePatch(prepared, keypoint, step, patches, count * patchLength)) count += 1;
      }
      return aggregate(patches, count, features) ?? [];
    });
  });
}

function prepare(picture: Raster, magnification: number): Plane {
  const scale = (magnification * meanSide) / Math.sqrt(picture.width * picture.height);
  const plane = inkOf(picture, scaled(picture.width, scale), scaled(picture.height, scale));
  return blur(withoutRules(plane, Math.round(ruleLength * Math.max(plane.width, plane.height))));
}

/** Bounds both sides, so that a very long and narrow picture stays wide enough to be described, but is not too large. */
const scaled = (size: number, scale: number): number => Math.min(4 * meanSide, Math.max(16, Math.round(size * scale)));
