/** A lock between processes: a file that only one of them can create. */
import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { RollkeyError } from '../errors.ts'

/** Nothing that is done under a lock takes so long: its holder is stopped, or gone with its host. */
const longestHeldMs = 60_000
const longestWaitMs = 15_000

interface Lock {
  readonly id: string
  readonly pid: number
  readonly host: string
}

/**
 * Does the work while no other process does work under the same file. A lock of a process that is gone is taken over.
 * Throws UNREACHABLE after `waitMs`, and the errors of the file system.
 */
export async function withLock<Result>(
  file: string,
  work: () => Promise<Result>,
  waitMs = longestWaitMs,
): Promise<Result> {
  const mine: Lock = { id: randomUUID(), pid: process.pid, host: hostname() }
  const giveUpAt = performance.now() + waitMs
  while (!create(file, JSON.stringify(mine))) {
    const holder = read(file)
    if (holder && isAbandoned(file, holder)) remove(file, holder.id)
    else if (performance.now() > giveUpAt) throw tooLate(file, holder)
    // By chance, so that those who wait do not all come back at the same time.
    await sleep(5 + Math.random() * 20)
  }
  try {
    return await work()
  } finally {
    remove(file, mine.id)
  }
}

/** False if the file is there already. */
function create(file: string, content: string): boolean {
  try {
    writeFileSync(file, content, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Windows says EPERM of a file that is just being deleted.
    if (code === 'EEXIST' || (code === 'EPERM' && process.platform === 'win32')) return false
    throw error
  }
}

/** Undefined if nobody holds it. Of one that is not written to its end (yet), nobody knows whose it is. */
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
  // Far in the future is as wrong as long ago: a clock was set.
  return Math.abs(Date.now() - since) > longestHeldMs || (host === hostname() && !isRunning(pid))
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/**
 * Removes the lock of this id. Whoever creates the file named after it is the only one who may: else one process would see
 * an abandoned lock, a second one replace it by its own, and the first one remove that.
 */
function remove(file: string, id: string): void {
  const permission = `${file}.${id}`
  if (!create(permission, '')) return
  if (read(file)?.id === id) rmSync(file, { force: true })
  rmSync(permission)
}

function tooLate(file: string, holder: Lock | undefined): RollkeyError {
  const who = holder?.host ? `Process ${holder.pid} on ${holder.host}` : 'Another process'
  return new RollkeyError(
    'UNREACHABLE',
    `${who} holds the lock ${file} for too long. Try again; if that process is not one of Rollkey, remove the file.`,
  )
}
