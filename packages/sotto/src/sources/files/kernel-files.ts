// Files that the kernel makes up while they are read (procfs, sysfs and their kin): their reading can have effects or no end.

import process from "node:process";
import type { FileSystem } from "./safe-open.ts";

// The f_type of statfs(2) for procfs, sysfs, cgroup, cgroup2, debugfs, tracefs, securityfs, configfs, bpf, pstore,
// efivarfs, binfmt_misc, selinuxfs, devpts, mqueue.
const KERNEL_TYPES = new Set([
  0x9fa0, 0x62656572, 0x27e0eb, 0x63677270, 0x64626720, 0x74726163, 0x73636673, 0x62656570, 0xcafe4a11,
  0x6165676c, 0xde5e81e4, 0x42494e4d, 0xf97cff8c, 0x1cd1, 0x19800202,
]);
const KERNEL_PATH = /^\/(?:proc|sys)(?:\/|$)/u;
const KNOWN_DEVICES = 1000;

export interface KernelFiles {
  /** By its name alone. */
  isNamed(path: string): boolean;
  /** By the file system it is on, wherever that is mounted. */
  isOn(opened: { link: string; stats: { dev: number } }): Promise<boolean>;
}

export function createKernelFiles(fileSystem: FileSystem): KernelFiles {
  // One question a device, not one a file.
  const devices = new Map<number, boolean>();
  const isLinux = process.platform === "linux";
  return {
    isNamed: (path) => isLinux && KERNEL_PATH.test(path),
    async isOn({ link, stats }) {
      if (!isLinux) return false;
      const known = devices.get(stats.dev);
      if (known !== undefined) return known;
      const { type } = await fileSystem.statfs(link);
      const isKernel = KERNEL_TYPES.has(type);
      if (devices.size === KNOWN_DEVICES) devices.clear();
      devices.set(stats.dev, isKernel);
      return isKernel;
    },
  };
}
