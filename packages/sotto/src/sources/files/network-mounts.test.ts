import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { createNetworkMounts } from "./network-mounts.ts";

const line = (place: string, type: string) =>
  `36 35 0:40 / ${place} rw,relatime shared:1 - ${type} source rw`;
const mountsOf = (...lines: string[]) => createNetworkMounts({ mountTable: () => lines.join("\n") });

describe("network mounts", () => {
  it("cover what lies below them, and what is mounted further in decides", () => {
    const mounts = mountsOf(
      line("/", "ext4"),
      line("/srv", "nfs4"),
      line("/srv/scratch", "tmpfs"),
      line("/srv/scratch/deep", "fuse.sshfs"),
    );
    const paths = [
      "/a",
      "/srv",
      "/srv/a",
      "/srvice",
      "/srv/scratch/a",
      "/srv/scratch/deep/a",
      "/srv/scratchy",
    ];
    expect(paths.filter((path) => mounts.covers(path))).toEqual([
      "/srv",
      "/srv/a",
      "/srv/scratch/deep/a",
      "/srv/scratchy",
    ]);
  });

  it("the root can be one; of several at one place the last counts; names are unescaped", () => {
    expect(mountsOf(line("/", "9p")).covers("/a/b")).toBe(true);
    expect(mountsOf(line("/a", "nfs"), line("/a", "ext4"), line("/b", "nfs")).covers("/a/x")).toBe(false);
    expect(mountsOf(line("/my\\040share", "cifs")).covers("/my share/x")).toBe(true);
  });

  it("are known by the names of their types", () => {
    const types = [
      "nfs",
      "nfs4",
      "cifs",
      "smb3",
      "9p",
      "afs",
      "ceph",
      "lustre",
      "fuse",
      "fuse.rclone",
      "virtiofs",
    ];
    const local = ["ext4", "xfs", "btrfs", "tmpfs", "overlay", "fuseblk", "fusectl", "nfsd", "zfs", "vfat"];
    const isNetwork = (type: string) => mountsOf(line("/a", type)).covers("/a/x");
    expect([...types, ...local].filter(isNetwork)).toEqual(types);
  });

  it("a call may block there, and anywhere if there is no table", () => {
    const mounts = mountsOf(line("/", "ext4"), line("/srv", "nfs4"));
    expect([mounts.mayBlock("/a"), mounts.mayBlock("/a", "/srv/b"), mounts.mayBlock()]).toEqual([
      false,
      true,
      false,
    ]);
    expect(createNetworkMounts({ mountTable: () => undefined }).mayBlock("/a")).toBe(true);
  });

  it("are read again when asked to", () => {
    let text = line("/a", "ext4");
    const mounts = createNetworkMounts({ mountTable: () => text });
    expect(mounts.covers("/a/x")).toBe(false);
    expect(mounts.refresh()).toBe(false);
    text = line("/a", "nfs");
    expect(mounts.refresh()).toBe(true);
    expect(mounts.covers("/a/x")).toBe(true);
  });

  it("where there is no table, shares are known by their names", () => {
    const windows = createNetworkMounts({ platform: "win32" });
    expect(["\\\\server\\share\\a", "//server/share/a", "C:/a"].map((path) => windows.covers(path))).toEqual([
      true,
      true,
      false,
    ]);
    const mac = createNetworkMounts({ platform: "darwin" });
    expect(["/Volumes/share/a", "/Users/someone/a"].map((path) => mac.covers(path))).toEqual([true, false]);
  });

  it("the real table can be read", () => {
    expect(createNetworkMounts().covers(tmpdir())).toBeTypeOf("boolean");
  });
});
