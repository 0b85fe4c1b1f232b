/** The process and the machine below it. */
import { existsSync, readFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { fail, ok, warn, type Checks, type Finding } from './finding.ts'

const mebibyte = 1024 * 1024
/** Stages may take 256 MiB; the rest of the process is measured to need less than as much again. */
const leastMemory = 512 * mebibyte
/** Below these parts of the disk. */
const littleDisk = 0.2
const almostFull = 0.05

/** Even numbers are the release lines that are kept safe for years: <https://nodejs.org/en/about/previous-releases>. */
export function nodeVersion(version: string): Finding {
  const major = Number.parseInt(version.slice(1), 10)
  if (major % 2 === 0) return ok(version)
  return warn(`${version} is no long-term release of Node`, 'Run Rollkey with an even-numbered Node, 24 or newer.')
}

/** `limits`: as /proc/self/limits has them. */
export function coreDumps(limits: string): Finding {
  const soft = /^Max core file size\s+(\S+)/m.exec(limits)?.[1]
  if (soft === '0') return ok('off')
  return warn(
    'a crash may write the memory of the process, keys and values in it, to a file',
    'Start the service with `ulimit -c 0`, or LimitCORE=0 in its systemd unit.',
  )
}

export function memory(bytes: number): Finding {
  const found = `${Math.floor(bytes / mebibyte)} MiB`
  if (bytes >= leastMemory) return ok(found)
  return warn(`${found} for the process`, `Give it ${leastMemory / mebibyte} MiB: it keeps sealed stages in memory.`)
}

export function disk(folder: string, { free, total }: { readonly free: number; readonly total: number }): Finding {
  const found = `${Math.floor((100 * free) / total)} % free (${Math.floor(free / mebibyte)} MiB) at ${folder}`
  if (free > littleDisk * total) return ok(found)
  const todo = 'Make room: without it writes are answered 503, and a backup needs as much as the store.'
  return free < almostFull * total ? fail(found, todo) : warn(found, todo)
}

/** Of the control group, or what the machine has. */
function memoryLimit(): number {
  return Math.min(process.constrainedMemory() || Infinity, totalmem())
}

export const machineChecks: Checks = {
  'node version': () => nodeVersion(process.version),
  'core dumps': () => coreDumps(readFileSync('/proc/self/limits', 'utf8')),
  memory: () => memory(memoryLimit()),
  'disk space': async ({ config: { DATA_DIR, DATABASE_URL } }) => {
    if (DATABASE_URL !== undefined || !existsSync(DATA_DIR)) return undefined
    const { bavail, blocks, bsize } = await statfs(DATA_DIR)
    return disk(DATA_DIR, { free: bavail * bsize, total: blocks * bsize })
  },
}
