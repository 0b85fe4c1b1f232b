/** The machine: what it is, and how processes are held to its cores. */
import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { availableParallelism, cpus } from 'node:os'

const taskset = 'taskset'
export const serverCore = 0
export const loadCore = 1

/** Whether servers and load can each be held to a core of their own. */
export const canPin =
  availableParallelism() > 1 &&
  [serverCore, loadCore].every((core) => spawnSync(taskset, ['-c', String(core), 'true']).status === 0)

const running = new Set<ChildProcess>()
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')))

/** A Node process held to a core, where that can be done; it ends with this process at the latest. */
export function startNode(core: number, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = canPin
    ? spawn(taskset, ['-c', String(core), process.execPath, ...args], options)
    : spawn(process.execPath, args, options)
  running.add(child)
  child.on('exit', () => running.delete(child))
  return child
}

/** One line about where the figures come from. */
export function machineText(): string {
  const [cpu] = cpus()
  const cores = canPin
    ? `server on core ${serverCore}, load on core ${loadCore}`
    : 'NOT held to cores: taskset or a second core is missing'
  const day = new Date().toISOString().slice(0, 10)
  return `${cpu?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, Node ${process.version}, ${day}; ${cores}`
}

/** Holds a process that runs already, and what it starts from now on, to a core. */
export function pin(core: number, pid: number): void {
  if (canPin) spawnSync(taskset, ['-pc', String(core), String(pid)])
}
