// A HIP runtime for tests: "device" memory is malloc's, nothing is executed, every call is written down.
//
// FAKE_HIP_LOG names the file for the calls, one a line: name, then key=value. FAKE_HIP_FAIL is NAME:CODE or NAME:CODE:N,
// the call (the Nth, from 1) that fails and with which status; several stand behind commas; counting begins anew when it
// changes. FAKE_HIP_DEVICES is the number of GPUs (1). FAKE_HIP_ARCH is what they are, FAKE_HIP_UNITS their compute units
// (256). Written from hip_runtime_api.h's signatures; statuses are hipError_t's.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int status;
enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_HANDLE = 400, NOT_FOUND = 500, NO_DEVICE = 100 };

// The places of hipDeviceProp_tR0600 that hkasm reads; the test compares them with the binding's structure.
enum { PROPERTY_BYTES = 1472, AT_NAME = 0, AT_ARCH = 1160 };

static const char *setting(const char *name, const char *otherwise) {
  const char *said = getenv(name);
  return said && *said ? said : otherwise;
}

static void say(const char *format, ...) {
  FILE *file = fopen(setting("FAKE_HIP_LOG", "/dev/null"), "a");
  if (!file) abort();
  va_list args;
  va_start(args, format);
  vfprintf(file, format, args);
  va_end(args);
  fputc('\n', file);
  fclose(file);
}

static status failure(const char *call) {
  static char counted[64][64];
  static int counts[64];
  static char fault[256];
  if (strcmp(fault, setting("FAKE_HIP_FAIL", ""))) {
    snprintf(fault, sizeof fault, "%s", setting("FAKE_HIP_FAIL", ""));
    memset(counts, 0, sizeof counts);
  }
  int n = 0;
  while (n < 63 && counted[n][0] && strcmp(counted[n], call)) n++;
  strncpy(counted[n], call, 63);
  int number = ++counts[n];
  char text[256], *rest = text, *next;
  snprintf(text, sizeof text, "%s", fault);
  while ((next = strtok_r(rest, ",", &rest))) {
    char *name = strtok_r(next, ":", &next), *code = strtok_r(NULL, ":", &next), *which = strtok_r(NULL, ":", &next);
    if (!name || !code || strcmp(name, call)) continue;
    if (which && atoi(which) != number) continue;
    say("! %s fails with %s", call, code);
    return atoi(code);
  }
  return SUCCESS;
}

#define MAY_FAIL                        \
  do {                                  \
    status failed = failure(__func__);  \
    if (failed) return failed;          \
  } while (0)

status hipInit(unsigned flags) { (void)flags; MAY_FAIL; return SUCCESS; }
status hipRuntimeGetVersion(int *version) { MAY_FAIL; *version = 70251831; return SUCCESS; }
status hipDriverGetVersion(int *version) { *version = 70251831; return SUCCESS; }

status hipGetDeviceCount(int *count) {
  MAY_FAIL;
  *count = atoi(setting("FAKE_HIP_DEVICES", "1"));
  return *count ? SUCCESS : NO_DEVICE;
}

status hipSetDevice(int number) { MAY_FAIL; say("hipSetDevice device=%d", number); return SUCCESS; }
status hipGetDevice(int *number) { *number = 0; return SUCCESS; }

status hipGetDevicePropertiesR0600(unsigned char *to, int number) {
  (void)number;
  MAY_FAIL;
  memset(to, 0, PROPERTY_BYTES);
  strcpy((char *)to + AT_NAME, "Fake Instinct");
  const char *arch = setting("FAKE_HIP_ARCH", "gfx950");
  snprintf((char *)to + atoi(setting("FAKE_HIP_AT_ARCH", "1160")), 256, "%s:sramecc+:xnack-", arch);
  *(int *)(to + atoi(setting("FAKE_HIP_AT_UNITS", "388"))) = atoi(setting("FAKE_HIP_UNITS", "256"));
  return SUCCESS;
}

status hipMalloc(void **pointer, size_t size) {
  MAY_FAIL;
  *pointer = aligned_alloc(4096, (size + 4095) / 4096 * 4096);
  say("hipMalloc size=%zu -> %p", size, *pointer);
  return *pointer ? SUCCESS : OUT_OF_MEMORY;
}

status hipFree(void *pointer) {
  say("hipFree %p", pointer);
  MAY_FAIL;
  free(pointer);
  return SUCCESS;
}

status hipMemcpy(void *to, const void *from, size_t size, int kind) {
  say("hipMemcpy size=%zu kind=%d device=%p", size, kind, kind == 1 ? to : (void *)from);
  MAY_FAIL;
  memcpy(to, from, size);
  return SUCCESS;
}

status hipMemset(void *memory, int value, size_t size) {
  say("hipMemset %p value=%d size=%zu", memory, value, size);
  MAY_FAIL;
  memset(memory, value, size);
  return SUCCESS;
}

status hipModuleLoad(void **module, const char *path) {
  MAY_FAIL;
  *module = malloc(1);
  say("hipModuleLoad path=%s -> %p", path, *module);
  return SUCCESS;
}

status hipModuleLoadData(void **module, const void *image) {
  MAY_FAIL;
  if (memcmp(image, "\177ELF", 4)) return INVALID_VALUE;
  *module = malloc(1);
  say("hipModuleLoadData -> %p", *module);
  return SUCCESS;
}

status hipModuleUnload(void *module) {
  say("hipModuleUnload %p", module);
  MAY_FAIL;
  free(module);
  return SUCCESS;
}

status hipModuleGetFunction(void **function, void *module, const char *name) {
  say("hipModuleGetFunction %p name=%s", module, name);
  MAY_FAIL;
  *function = (void *)(uintptr_t)0xF00D;
  return SUCCESS;
}

status hipModuleLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                             unsigned shared, void *stream, void **params, void **extra) {
  MAY_FAIL;
  if (function != (void *)(uintptr_t)0xF00D) return INVALID_HANDLE;
  if (params || !extra || extra[0] != (void *)1 || extra[2] != (void *)2 || extra[4] != (void *)3) return INVALID_VALUE;
  size_t size = *(size_t *)extra[3];
  char text[8192] = "";
  for (size_t n = 0; n < size && n < 4000; n++) sprintf(text + 2 * n, "%02x", ((unsigned char *)extra[1])[n]);
  say("hipModuleLaunchKernel grid=%u,%u,%u block=%u,%u,%u lds=%u stream=%p kernarg=%s", gx, gy, gz, bx, by, bz, shared,
      stream, text);
  // What a kernel would do: the memory behind the first pointer gets a pattern, if the test says how many bytes.
  int bytes = atoi(setting("FAKE_HIP_STORE", "0"));
  if (bytes) memset(*(void **)extra[1], 0x3f, bytes);
  return SUCCESS;
}

status hipStreamCreate(void **stream) {
  MAY_FAIL;
  *stream = malloc(1);
  say("hipStreamCreate -> %p", *stream);
  return SUCCESS;
}

status hipStreamDestroy(void *stream) { say("hipStreamDestroy %p", stream); MAY_FAIL; free(stream); return SUCCESS; }
status hipStreamSynchronize(void *stream) { say("hipStreamSynchronize stream=%p", stream); MAY_FAIL; return SUCCESS; }
status hipDeviceSynchronize(void) { say("hipDeviceSynchronize"); MAY_FAIL; return SUCCESS; }

status hipEventCreate(void **event) {
  MAY_FAIL;
  *event = malloc(1);
  say("hipEventCreate -> %p", *event);
  return SUCCESS;
}

status hipEventDestroy(void *event) { say("hipEventDestroy %p", event); MAY_FAIL; free(event); return SUCCESS; }
status hipEventRecord(void *event, void *stream) { say("hipEventRecord %p stream=%p", event, stream); MAY_FAIL; return SUCCESS; }
status hipEventSynchronize(void *event) { say("hipEventSynchronize %p", event); MAY_FAIL; return SUCCESS; }

status hipEventElapsedTime(float *milliseconds, void *start, void *stop) {
  say("hipEventElapsedTime %p %p", start, stop);
  MAY_FAIL;
  *milliseconds = 2.5f;
  return SUCCESS;
}

const char *hipGetErrorString(status code) {
  switch (code) {
    case OUT_OF_MEMORY: return "out of memory";
    case NO_DEVICE: return "no ROCm-capable device is detected";
    default: return "something else";
  }
}

const char *hipGetErrorName(status code) { (void)code; return "hipErrorOfTheFake"; }
