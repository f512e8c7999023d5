/*
 * Notes what a process does to the files under DRS_TEST_CUT_ROOT, and ends its whole group at the DRS_TEST_CUT_AT-th
 * write, as a power cut would. Loaded with LD_PRELOAD. The notes, one line each in DRS_TEST_CUT_LOG, tell afterwards what
 * had been made durable (cut.ts reads them):
 *
 *   S inode size        the file was synced when it had this many bytes
 *   D path              the folder was synced
 *   T inode size        the file was cut to this many bytes
 *   C path              a file was made
 *   M path              a folder was made
 *   R kept from to      a file was renamed; what was there before is kept under this name, or "-"
 *   L from to           a file got another name
 *   U kept path         a name was removed; what it named is kept
 *
 * Changes of names are noted before they are made: one that was not made is not found either when it is undone. What is
 * removed or replaced stays as a link in DRS_TEST_CUT_KEPT. The number of writes so far, of all processes, is in
 * DRS_TEST_CUT_COUNT. After a power cut the machine runs anew: what names this run is read in DRS_TEST_CUT_RUN.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static const char *root;
static const char *kept;
static const char *run;
static size_t root_length;
static int log_fd = -1;
static long cut_at;
static _Atomic long *count;

__attribute__((constructor)) static void start(void) {
  const char *log = getenv("DRS_TEST_CUT_LOG");
  const char *counter = getenv("DRS_TEST_CUT_COUNT");
  const char *at = getenv("DRS_TEST_CUT_AT");
  const char *folder = getenv("DRS_TEST_CUT_ROOT");
  kept = getenv("DRS_TEST_CUT_KEPT");
  run = getenv("DRS_TEST_CUT_RUN");
  if (log == NULL || counter == NULL || folder == NULL || kept == NULL) return;
  log_fd = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  int fd = syscall(SYS_openat, AT_FDCWD, counter, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (log_fd < 0 || fd < 0 || syscall(SYS_ftruncate, fd, sizeof(long)) != 0) abort();
  count = mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (count == MAP_FAILED) abort();
  syscall(SYS_close, fd);
  cut_at = at == NULL ? 0 : atol(at);
  root_length = strlen(folder);
  root = folder;
}

static void note(const char *format, ...) {
  char line[3 * PATH_MAX];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (length > 0 && (size_t)length < sizeof line) syscall(SYS_write, log_fd, line, length);
}

static int is_inside(const char *path) {
  return root != NULL && strncmp(path, root, root_length) == 0 && (path[root_length] == '/' || path[root_length] == 0);
}

/* The absolute path that a call means; 0 if it is outside of the root or cannot be told. */
static int resolve(int folder, const char *path, char *out) {
  if (root == NULL || path == NULL) return 0;
  if (path[0] == '/') {
    if (strlen(path) >= PATH_MAX) return 0;
    strcpy(out, path);
  } else {
    char base[PATH_MAX], link[64];
    if (folder == AT_FDCWD) strcpy(link, "/proc/self/cwd");
    else snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t length = readlink(link, base, sizeof base - 1);
    if (length < 0) return 0;
    base[length] = 0;
    if (snprintf(out, PATH_MAX, "%s/%s", base, path) >= PATH_MAX) return 0;
  }
  return is_inside(out);
}

static int path_of(int fd, char *out) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  if (root == NULL) return 0;
  ssize_t length = readlink(link, out, PATH_MAX - 1);
  if (length < 0) return 0;
  out[length] = 0;
  return is_inside(out);
}

/* One more change of the disk: maybe the one at which the power is cut. */
static void change(void) {
  if (atomic_fetch_add(count, 1) + 1 != cut_at) return;
  kill(0, SIGKILL);
  for (;;) pause();
}

static void writing(int fd) {
  char path[PATH_MAX];
  int before = errno;
  struct stat found;
  if (root != NULL && fstat(fd, &found) == 0 && S_ISREG(found.st_mode) && path_of(fd, path)) change();
  errno = before;
}

/* Keeps what a name stands for before it is gone, and gives the name under which it is kept. */
static void keep(const char *path, char *name) {
  static _Atomic long number;
  snprintf(name, 64, "%d-%ld", getpid(), atomic_fetch_add(&number, 1));
  char target[PATH_MAX];
  if (snprintf(target, sizeof target, "%s/%s", kept, name) >= PATH_MAX ||
      syscall(SYS_linkat, AT_FDCWD, path, AT_FDCWD, target, 0) != 0)
    strcpy(name, "-");
}

ssize_t write(int fd, const void *bytes, size_t length) {
  writing(fd);
  return NEXT(write)(fd, bytes, length);
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) {
  writing(fd);
  return NEXT(pwrite)(fd, bytes, length, at);
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) {
  writing(fd);
  return NEXT(pwrite64)(fd, bytes, length, at);
}
ssize_t writev(int fd, const struct iovec *parts, int number) {
  writing(fd);
  return NEXT(writev)(fd, parts, number);
}
ssize_t pwritev(int fd, const struct iovec *parts, int number, off_t at) {
  writing(fd);
  return NEXT(pwritev)(fd, parts, number, at);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int number, off64_t at) {
  writing(fd);
  return NEXT(pwritev64)(fd, parts, number, at);
}
ssize_t sendfile(int to, int from, off_t *at, size_t length) {
  writing(to);
  return NEXT(sendfile)(to, from, at, length);
}
ssize_t sendfile64(int to, int from, off64_t *at, size_t length) {
  writing(to);
  return NEXT(sendfile64)(to, from, at, length);
}
ssize_t copy_file_range(int from, off64_t *at, int to, off64_t *at_to, size_t length, unsigned flags) {
  writing(to);
  return NEXT(copy_file_range)(from, at, to, at_to, length, flags);
}

static void truncating(int fd, off_t size) {
  struct stat found;
  writing(fd);
  if (root != NULL && fstat(fd, &found) == 0) note("T %lu %ld\n", (unsigned long)found.st_ino, (long)size);
}
int ftruncate(int fd, off_t size) {
  truncating(fd, size);
  return NEXT(ftruncate)(fd, size);
}
int ftruncate64(int fd, off64_t size) {
  truncating(fd, size);
  return NEXT(ftruncate64)(fd, size);
}

static int syncing(int fd, int (*sync)(int)) {
  char path[PATH_MAX];
  struct stat found;
  if (!path_of(fd, path) || fstat(fd, &found) != 0) return sync(fd);
  change();
  int result = sync(fd);
  int before = errno;
  if (result == 0 && S_ISDIR(found.st_mode)) note("D %s\n", path);
  else if (result == 0) note("S %lu %ld\n", (unsigned long)found.st_ino, (long)found.st_size);
  errno = before;
  return result;
}
int fsync(int fd) { return syncing(fd, NEXT(fsync)); }
int fdatasync(int fd) { return syncing(fd, NEXT(fdatasync)); }

static void opening(int folder, const char *name, int flags) {
  char path[PATH_MAX];
  struct stat found;
  int before = errno;
  if ((flags & (O_CREAT | O_TRUNC)) != 0 && resolve(folder, name, path)) {
    if (stat(path, &found) == 0) {
      /* With O_EXCL a file that is there is left as it is. */
      if ((flags & O_TRUNC) != 0 && (flags & O_EXCL) == 0) {
        change();
        note("T %lu 0\n", (unsigned long)found.st_ino);
      }
    } else if ((flags & O_CREAT) != 0) {
      change();
      note("C %s\n", path);
    }
  }
  errno = before;
}

static const char *meant(const char *path) {
  return run != NULL && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0 ? run : path;
}

#define MODE(flags, last)                                  \
  mode_t mode = 0;                                         \
  if (((flags) & O_CREAT) != 0 || ((flags) & O_TMPFILE) == O_TMPFILE) { \
    va_list arguments;                                     \
    va_start(arguments, last);                             \
    mode = va_arg(arguments, mode_t);                      \
    va_end(arguments);                                     \
  }

int open(const char *path, int flags, ...) {
  MODE(flags, flags)
  opening(AT_FDCWD, path, flags);
  return NEXT(open)(meant(path), flags, mode);
}
int open64(const char *path, int flags, ...) {
  MODE(flags, flags)
  opening(AT_FDCWD, path, flags);
  return NEXT(open64)(meant(path), flags, mode);
}
int openat(int folder, const char *path, int flags, ...) {
  MODE(flags, flags)
  opening(folder, path, flags);
  return NEXT(openat)(folder, path, flags, mode);
}
int openat64(int folder, const char *path, int flags, ...) {
  MODE(flags, flags)
  opening(folder, path, flags);
  return NEXT(openat64)(folder, path, flags, mode);
}

static void renaming(int from_folder, const char *from, int to_folder, const char *to) {
  char source[PATH_MAX], target[PATH_MAX], name[64];
  int before = errno;
  if (resolve(from_folder, from, source) && resolve(to_folder, to, target)) {
    change();
    keep(target, name);
    note("R %s\t%s\t%s\n", name, source, target);
  }
  errno = before;
}
int rename(const char *from, const char *to) {
  renaming(AT_FDCWD, from, AT_FDCWD, to);
  return NEXT(rename)(from, to);
}
int renameat(int from_folder, const char *from, int to_folder, const char *to) {
  renaming(from_folder, from, to_folder, to);
  return NEXT(renameat)(from_folder, from, to_folder, to);
}
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  renaming(from_folder, from, to_folder, to);
  return NEXT(renameat2)(from_folder, from, to_folder, to, flags);
}

static void linking(int from_folder, const char *from, int to_folder, const char *to) {
  char source[PATH_MAX], target[PATH_MAX];
  struct stat found;
  int before = errno;
  if (resolve(from_folder, from, source) && resolve(to_folder, to, target) && lstat(target, &found) != 0) {
    change();
    note("L %s\t%s\n", source, target);
  }
  errno = before;
}
int link(const char *from, const char *to) {
  linking(AT_FDCWD, from, AT_FDCWD, to);
  return NEXT(link)(from, to);
}
int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  linking(from_folder, from, to_folder, to);
  return NEXT(linkat)(from_folder, from, to_folder, to, flags);
}

static void unlinking(int folder, const char *path) {
  char target[PATH_MAX], name[64];
  int before = errno;
  if (resolve(folder, path, target)) {
    change();
    keep(target, name);
    note("U %s\t%s\n", name, target);
  }
  errno = before;
}
int unlink(const char *path) {
  unlinking(AT_FDCWD, path);
  return NEXT(unlink)(path);
}
int unlinkat(int folder, const char *path, int flags) {
  if ((flags & AT_REMOVEDIR) == 0) unlinking(folder, path);
  return NEXT(unlinkat)(folder, path, flags);
}

static void making(int folder, const char *path) {
  char target[PATH_MAX];
  struct stat found;
  int before = errno;
  if (resolve(folder, path, target) && stat(target, &found) != 0) {
    change();
    note("M %s\n", target);
  }
  errno = before;
}
int mkdir(const char *path, mode_t mode) {
  making(AT_FDCWD, path);
  return NEXT(mkdir)(path, mode);
}
int mkdirat(int folder, const char *path, mode_t mode) {
  making(folder, path);
  return NEXT(mkdirat)(folder, path, mode);
}
