import { byteKernel, bytesPerBlock } from "./simd-kernels.ts";
import { createEngine } from "./simd-module.ts";
import { writeQuestion } from "./simd-question.ts";
import { type CodedVector, createMatrix, type MatrixLayout, type VectorMatrix } from "./vector-matrix.ts";

/** A vector as signed bytes, and what one of them stands for. */
export type ScaledBytes = CodedVector;

const layout: MatrixLayout = {
  dimensionsPerBlock: bytesPerBlock,
  startEngine: createEngine({ multiply: byteKernel }),
  ask: (question, memory) => ({
    unit: writeQuestion(new Float64Array(question), new Int16Array(memory, 0, question.length)),
    zero: 0,
  }),
};

/** A signed byte a dimension: 0.2 ms for the products of 3,300 vectors of 1,024. Undefined of dimensions that are no multiple of 16. */
export const createByteMatrix = (dimensions: number, capacity: number): VectorMatrix | undefined =>
  createMatrix(layout, dimensions, capacity);
