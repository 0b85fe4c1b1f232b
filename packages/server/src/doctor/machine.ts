/** The checks of the process and its machine. */
import { existsSync, readFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { memoryLimit } from '../base/memory-limit.ts'
import { fail, ok, warn, type Checks, type Finding } from './finding.ts'

const mebibyte = 1024 * 1024
/** Stages may take 256 MiB; the rest of the process needs less than the same amount, measured. */
const minMemory = 512 * mebibyte
/** The free shares of the disk below which the check warns and fails. */
const lowDiskShare = 0.2
const almostFullShare = 0.05

/** Checks for an even number, which marks a long-term support release: <https://nodejs.org/en/about/previous-releases>. */
export function nodeVersion(version: string): Finding {
  const major = Number.parseInt(version.slice(1), 10)
  if (major % 2 === 0) return ok(version)
  return warn(`${version} is not a long-term support release`, 'Use an even-numbered Node.js release, 24 or newer.')
}

/** Checks whether core dumps are off. `file` is where Linux has the limits of the process; other systems have no such file. */
export function coreDumps(file: string): Finding | undefined {
  if (!existsSync(file)) return undefined
  const soft = /^Max core file size\s+(\S+)/m.exec(readFileSync(file, 'utf8'))?.[1]
  if (soft === '0') return ok('off')
  return warn(
    'on: a crash may write the memory of the process, with keys and values, to a file',
    'Start the service with `ulimit -c 0`, or LimitCORE=0 in its systemd unit.',
  )
}

export function memory(bytes: number): Finding {
  const found = `${Math.floor(bytes / mebibyte)} MiB`
  if (bytes >= minMemory) return ok(found)
  return warn(`${found} for the process`, `Give it ${minMemory / mebibyte} MiB: it keeps sealed stages in memory.`)
}

export function disk(folder: string, { free, total }: { readonly free: number; readonly total: number }): Finding {
  const found = `${Math.floor((100 * free) / total)}% free (${Math.floor(free / mebibyte)} MiB) at ${folder}`
  if (free > lowDiskShare * total) return ok(found)
  const todo = 'Free some space: on a full disk writes fail with 503, and a backup needs as much space as the store.'
  return free < almostFullShare * total ? fail(found, todo) : warn(found, todo)
}

export const machineChecks: Checks = {
  'node version': () => nodeVersion(process.version),
  'core dumps': () => coreDumps('/proc/self/limits'),
  memory: () => memory(memoryLimit()),
  'disk space': async ({ config: { DATA_DIR, DATABASE_URL } }) => {
    if (DATABASE_URL !== undefined || !existsSync(DATA_DIR)) return undefined
    const { bavail, blocks, bsize } = await statfs(DATA_DIR)
    return disk(DATA_DIR, { free: bavail * bsize, total: blocks * bsize })
  },
}
