import { readFileSync } from 'node:fs'

const msPerTick = 10 // a tick of /proc/<pid>/stat is 1/100 s on every Linux that Node runs on

/** Returns the processor time of a process so far, all its threads included, or undefined without /proc. */
export function cpuMsOf(pid: number): number | undefined {
  try {
    // The second field, the command's name, may contain spaces. The times are the 12th and 13th fields after it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * msPerTick
  } catch {
    return undefined
  }
}

/** Returns the same of a process and of the processes that it has started, those that have ended included. */
export function cpuMsOfFamily(pid: number): number | undefined {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
    const ended = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    const endedMs = (Number(ended[13]) + Number(ended[14])) * msPerTick
    return children.reduce((sum, child) => sum + (cpuMsOf(Number(child)) ?? 0), (cpuMsOf(pid) ?? 0) + endedMs)
  } catch {
    return undefined
  }
}

/** Returns the processor time that this machine's host has given to others since its start, all cores together. */
export function stolenMs(): number {
  try {
    const [all = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1)
    return Number(all.split(/ +/)[8] ?? 0) * msPerTick
  } catch {
    return 0
  }
}
