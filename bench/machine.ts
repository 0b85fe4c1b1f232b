/** The machine: what it is, how processes are held to its cores, and that nothing of theirs outlives the bench. */
import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import path from 'node:path'

const taskset = 'taskset'
export const serverCore = 0
export const loadCore = 1

/** Whether servers and load can each be held to a core of their own. */
const canPin =
  availableParallelism() > 1 &&
  [serverCore, loadCore].every((core) => spawnSync(taskset, ['-c', String(core), 'true']).status === 0)

const running = new Set<ChildProcess>()
const root = mkdtempSync(path.join(tmpdir(), 'rollkey-bench-'))
let folders = 0

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
  // What a killed process was just writing may come in between.
  rmSync(root, { recursive: true, force: true, maxRetries: 10 })
})

/** An empty folder that goes away with this process. */
export function newFolder(): string {
  const folder = path.join(root, String(folders++))
  mkdirSync(folder, { mode: 0o700 })
  return folder
}

/** A program held to a core, where that can be done; it ends with this process at the latest. */
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

/** Holds a process that runs already, and what it starts from now on, to a core. */
export function pin(core: number, pid: number): void {
  if (canPin) spawnSync(taskset, ['-pc', String(core), String(pid)])
}

/** One line about where the figures come from. */
export function machineText(): string {
  const [cpu] = cpus()
  const cores = canPin
    ? `server on core ${serverCore}, load and PostgreSQL on core ${loadCore}`
    : 'NOT held to cores: taskset or a second core is missing'
  const day = new Date().toISOString().slice(0, 10)
  return `${cpu?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, Node ${process.version}, ${day}; ${cores}`
}
