/** Describes the machine, pins processes to its cores, and cleans up everything that the bench starts. */
import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import path from 'node:path'

const taskset = 'taskset'
export const serverCore = 0
export const loadCore = 1
/** The core of what disturbs. With two cores, it is that of the load. */
export const disturbingCore = availableParallelism() > 2 ? 2 : loadCore

/** Whether servers and load can each be pinned to a separate core. */
const canPin =
  availableParallelism() > 1 &&
  [serverCore, loadCore].every((core) => spawnSync(taskset, ['-c', String(core), 'true']).status === 0)

const running = new Set<ChildProcess>()
const root = mkdtempSync(path.join(tmpdir(), 'rollkey-bench-'))
let folders = 0

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
  // A killed process may still be writing, which the retries allow for.
  rmSync(root, { recursive: true, force: true, maxRetries: 10 })
})

/** Creates an empty folder that is deleted when this process exits. */
export function newFolder(): string {
  const folder = path.join(root, String(folders++))
  mkdirSync(folder, { mode: 0o700 })
  return folder
}

/** Starts a program pinned to a core if possible. The program ends with this process at the latest. */
export function startProgram(
  core: number,
  program: string,
  args: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  const child = canPin ? spawn(taskset, ['-c', String(core), program, ...args], options) : spawn(program, args, options)
  running.add(child)
  child.on('exit', () => running.delete(child))
  return child
}

/** Pins a running process, and what it starts from now on, to a core. */
export function pin(core: number, pid: number): void {
  if (canPin) spawnSync(taskset, ['-pc', String(core), String(pid)])
}

/** Returns one line that describes the machine that the figures come from. */
export function machineText(): string {
  const [cpu] = cpus()
  const cores = canPin
    ? `Server on core ${serverCore}, load and PostgreSQL on core ${loadCore}`
    : 'NOT pinned to cores: taskset or a second core is missing'
  const day = new Date().toISOString().slice(0, 10)
  return `${cpu?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, Node ${process.version}, ${day}. ${cores}`
}
