/* A library with NVML's names that tells what a scenario file says.
 *
 * The file is named by NVML_STUB_SCENARIO and has one word and its values a line:
 *
 *     driver 535.129.03
 *     cuda 12020
 *     gpu NAME|MAJOR|MINOR|BYTES|PCI|MIG|INSTANCES      MIG: -1 not supported, 0 off, 1 on
 *     fail FUNCTION CODE                                the function returns CODE
 *     hang FUNCTION                                     the function never returns
 *     crash FUNCTION                                    the function kills the process
 *     process INDEX PID BYTES                           a program that holds memory of that GPU
 *
 * A second file, named by NVML_STUB_USED, says how many bytes of every GPU are in use; it is read anew each time.
 *
 * Built with -DOLD_DRIVER it lacks the functions that drivers before R418 did not have.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OK = 0, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7, GPU_LIMIT = 16, LINE = 512 };

typedef struct {
    char name[96], pci[32];
    int major, minor, mig, instances;
    unsigned long long memory;
} Gpu;

typedef struct {
    char legacy_bus[16];
    unsigned int domain, bus, device, pci_device, pci_subsystem;
    char bus_id[32];
} PciInfo;

typedef struct {
    unsigned long long total, free, used;
} Memory;

typedef struct {
    unsigned int pid;
    unsigned long long used;
    unsigned int gpu_instance, compute_instance;
} Process;

static char driver[80], lines[64][LINE];
static int cuda, gpu_count, line_count;
static Gpu gpus[GPU_LIMIT];

static void learn(const char *line)
{
    Gpu *gpu = &gpus[gpu_count];
    if (sscanf(line, "driver %79[^\n]", driver) == 1 || sscanf(line, "cuda %d", &cuda) == 1)
        return;
    if (gpu_count < GPU_LIMIT
        && sscanf(line, "gpu %95[^|]|%d|%d|%llu|%31[^|]|%d|%d", gpu->name, &gpu->major, &gpu->minor,
                  &gpu->memory, gpu->pci, &gpu->mig, &gpu->instances) == 7)
        gpu_count++;
}

static void read_scenario(void)
{
    const char *path = getenv("NVML_STUB_SCENARIO");
    FILE *file = line_count || !path ? NULL : fopen(path, "r");
    if (!file)
        return;
    while (line_count < 64 && fgets(lines[line_count], LINE, file))
        learn(lines[line_count++]);
    fclose(file);
}

/* What the scenario has the function do: hang for good, or return this code. */
static int fate(const char *function)
{
    char name[LINE];
    int code;
    read_scenario();
    for (int index = 0; index < line_count; index++) {
        if (sscanf(lines[index], "hang %511s", name) == 1 && !strcmp(name, function))
            for (;;)
                pause();
        if (sscanf(lines[index], "crash %511s", name) == 1 && !strcmp(name, function))
            abort();
        if (sscanf(lines[index], "fail %511s %d", name, &code) == 2 && !strcmp(name, function))
            return code;
    }
    return OK;
}

static unsigned long long used_now(void)
{
    const char *path = getenv("NVML_STUB_USED");
    FILE *file = path ? fopen(path, "r") : NULL;
    unsigned long long bytes = 0;
    if (!file)
        return 0;
    if (fscanf(file, "%llu", &bytes) != 1)
        bytes = 0;
    fclose(file);
    return bytes;
}

#define DOOR(function)                                                                                       \
    do {                                                                                                     \
        int code = fate(function);                                                                           \
        if (code != OK)                                                                                      \
            return code;                                                                                     \
    } while (0)

int nvmlInitWithFlags(unsigned int flags)
{
    (void)flags;
    DOOR("nvmlInitWithFlags");
    return OK;
}

int nvmlSystemGetDriverVersion(char *version, unsigned int length)
{
    DOOR("nvmlSystemGetDriverVersion");
    snprintf(version, length, "%s", driver);
    return OK;
}

int nvmlDeviceGetCount_v2(unsigned int *count)
{
    DOOR("nvmlDeviceGetCount_v2");
    *count = (unsigned int)gpu_count;
    return OK;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned int index, Gpu **handle)
{
    DOOR("nvmlDeviceGetHandleByIndex_v2");
    if (index >= (unsigned int)gpu_count)
        return NOT_FOUND;
    *handle = &gpus[index];
    return OK;
}

int nvmlDeviceGetName(Gpu *gpu, char *name, unsigned int length)
{
    DOOR("nvmlDeviceGetName");
    snprintf(name, length, "%s", gpu->name);
    return OK;
}

int nvmlDeviceGetMemoryInfo(Gpu *gpu, Memory *memory)
{
    DOOR("nvmlDeviceGetMemoryInfo");
    memory->total = gpu->memory;
    memory->used = used_now();
    memory->free = gpu->memory - memory->used;
    return OK;
}

/* As NVML does: without room it says how much it takes. */
int nvmlDeviceGetComputeRunningProcesses_v3(Gpu *gpu, unsigned int *count, Process *processes)
{
    unsigned int found = 0, index, pid;
    unsigned long long bytes;
    DOOR("nvmlDeviceGetComputeRunningProcesses_v3");
    for (int line = 0; line < line_count; line++)
        if (sscanf(lines[line], "process %u %u %llu", &index, &pid, &bytes) == 3 && &gpus[index] == gpu) {
            if (found < *count)
                processes[found] = (Process){pid, bytes, 0, 0};
            found++;
        }
    int code = found > *count ? INSUFFICIENT_SIZE : OK;
    *count = found;
    return code;
}

int nvmlDeviceGetPciInfo_v3(Gpu *gpu, PciInfo *info)
{
    DOOR("nvmlDeviceGetPciInfo_v3");
    memset(info, 0, sizeof *info);
    snprintf(info->bus_id, sizeof info->bus_id, "%s", gpu->pci);
    return OK;
}

#ifndef OLD_DRIVER
int nvmlSystemGetCudaDriverVersion_v2(int *version)
{
    DOOR("nvmlSystemGetCudaDriverVersion_v2");
    *version = cuda;
    return OK;
}

int nvmlDeviceGetCudaComputeCapability(Gpu *gpu, int *major, int *minor)
{
    DOOR("nvmlDeviceGetCudaComputeCapability");
    *major = gpu->major;
    *minor = gpu->minor;
    return OK;
}

int nvmlDeviceGetMigMode(Gpu *gpu, unsigned int *current, unsigned int *pending)
{
    DOOR("nvmlDeviceGetMigMode");
    if (gpu->mig < 0)
        return NOT_SUPPORTED;
    *current = *pending = (unsigned int)gpu->mig;
    return OK;
}

int nvmlDeviceGetMaxMigDeviceCount(Gpu *gpu, unsigned int *count)
{
    (void)gpu;
    DOOR("nvmlDeviceGetMaxMigDeviceCount");
    *count = 7;
    return OK;
}

int nvmlDeviceGetMigDeviceHandleByIndex(Gpu *gpu, unsigned int index, Gpu **handle)
{
    DOOR("nvmlDeviceGetMigDeviceHandleByIndex");
    if (index >= (unsigned int)gpu->instances)
        return NOT_FOUND;
    *handle = gpu;
    return OK;
}
#endif
