/**
 * The environment of a worker process: settings of glibc's allocator, which hardly gives memory back by itself. Other
 * allocators pass over them.
 *
 * - It gives every thread an arena of its own: with two arenas the worker's memory is half as large, at no cost that
 *   could be measured.
 * - It raises the size from which a block is mapped alone, up to 32 MB, whenever such a block is freed. Pictures and
 *   columns of vectors are then placed between small blocks that stay, and their room is lost when they are freed.
 *   Stating the size keeps it; what glibc may keep unused at the end of an arena has to be stated as well.
 */
export const allocator = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: String(2 ** 20),
  MALLOC_TRIM_THRESHOLD_: String(16 * 2 ** 20),
};
