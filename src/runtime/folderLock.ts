// A folder that one process at a time works in. The lock is a file that says who has it: a process that is gone has
// nothing, so a lock outlives a kill without harm.

import { builtinNow } from "../storage/builtin.ts";
import { processIsGone, processName } from "../storage/strays.ts";

export interface FolderLock {
  /** False when another living process has it. */
  take(): boolean;
  /** True when a process had it that is no more. */
  isDead(): boolean;
  release(): void;
}

export function folderLock(folder: string): FolderLock {
  const fs = builtinNow("node:fs")!;
  const file = builtinNow("node:path")!.join(folder, "lock");
  const create = (): boolean => {
    try {
      fs.writeFileSync(file, processName(), { flag: "wx" });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw error;
    }
  };
  const isFree = (): boolean => {
    try {
      return processIsGone(fs.readFileSync(file, "utf8"));
    } catch {
      return true;
    }
  };
  return {
    isDead: () => fs.existsSync(file) && isFree(),
    take() {
      if (create()) return true;
      if (!isFree()) return false;
      // Of two that see a dead lock at once, the one whose file is there in the end has it.
      fs.rmSync(file, { force: true });
      return create();
    },
    release: () => fs.rmSync(file, { force: true }),
  };
}
