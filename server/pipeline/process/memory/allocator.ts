/**
 * Environment of a worker process with settings of glibc's allocator, which hardly returns memory by itself. Other allocators
 * ignore them.
 *
 * - By default it gives every thread an arena of its own. With two arenas the worker's memory is half as large, at no
 *   measurable cost.
 * - By default it raises the size from which a block is mapped separately, up to 32 MB, whenever such a block is freed.
 *   Pictures and columns of vectors are then placed between small blocks that stay, and their space is lost when they are
 *   freed. Setting the size fixes it; the trim threshold must then be set as well.
 */
export const allocator = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: String(2 ** 20),
  MALLOC_TRIM_THRESHOLD_: String(16 * 2 ** 20),
};
