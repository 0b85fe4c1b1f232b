/** A lock between processes: a file that only one of them can create. */
import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { RollkeyError } from '../errors.ts'

/** Age at which a lock counts as abandoned, in milliseconds. No work under a lock takes this long. */
const maxLockAgeMs = 60_000
/** How long a process waits for one holder of a lock by default, in milliseconds. */
const defaultWaitMs = 15_000

interface Lock {
  readonly id: string
  readonly pid: number
  readonly host: string
}

/**
 * Runs work while no other process runs work under the same file. Takes over the lock of a process that has ended. Throws
 * UNREACHABLE if one process holds the lock for `waitMs`, however many come before, and the errors of the file system.
 */
export async function withLock<Result>(
  file: string,
  work: () => Promise<Result>,
  waitMs = defaultWaitMs,
): Promise<Result> {
  const own: Lock = { id: randomUUID(), pid: process.pid, host: hostname() }
  let holder: string | undefined
  let giveUpAt = Infinity
  while (!create(file, JSON.stringify(own))) {
    const current = read(file)
    if (current?.id !== holder) giveUpAt = performance.now() + waitMs
    holder = current?.id
    if (current && isAbandoned(file, current)) remove(file, current.id)
    else if (performance.now() > giveUpAt) throw lockTimeout(file, current)
    // Random, so that waiting processes do not all retry at the same time.
    await sleep(5 + Math.random() * 20)
  }
  try {
    return await work()
  } finally {
    remove(file, own.id)
  }
}

/** Creates a file. Returns false if it exists. */
function create(file: string, content: string): boolean {
  try {
    writeFileSync(file, content, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Windows reports EPERM for a file that is being deleted.
    if (code === 'EEXIST' || (code === 'EPERM' && process.platform === 'win32')) return false
    throw error
  }
}

/** Reads a lock. Returns undefined if no process holds it, and an unknown holder if the file is incomplete. */
function read(file: string): Lock | undefined {
  try {
    const { id, pid, host } = JSON.parse(readFileSync(file, 'utf8')) as Lock
    return { id: id.replaceAll(/[^\w-]/g, ''), pid, host }
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : { id: 'unknown', pid: NaN, host: '' }
  }
}

function isAbandoned(file: string, { pid, host }: Lock): boolean {
  const since = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
  // A time far in the future is as wrong as one long ago: a clock was set.
  return Math.abs(Date.now() - since) > maxLockAgeMs || (host === hostname() && !isRunning(pid))
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/**
 * Removes the lock with this id. Only the process that creates the file named after the id may do so. Otherwise one process
 * could see an abandoned lock, a second one replace it with its own, and the first one remove that.
 */
function remove(file: string, id: string): void {
  const permission = `${file}.${id}`
  if (!create(permission, '')) return
  if (read(file)?.id === id) rmSync(file, { force: true })
  rmSync(permission)
}

function lockTimeout(file: string, current: Lock | undefined): RollkeyError {
  const who = current?.host ? `Process ${current.pid} on ${current.host}` : 'Another process'
  return new RollkeyError(
    'UNREACHABLE',
    `${who} has held the lock ${file} for too long. Try again. If that process does not belong to Rollkey, remove the file.`,
  )
}
