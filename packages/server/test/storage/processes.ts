import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export interface Holder {
  /** Lines that the process prints. */
  readonly lines: Interface
  /** Kills it as the kernel does when memory runs out, so that it cannot clean up. */
  kill(): Promise<void>
}

/** Runs hold.ts, which never outlives the test. */
export function hold(task: 'lock' | 'write' | 'move', path: string): Holder {
  const script = fileURLToPath(new URL('hold.ts', import.meta.url))
  const child = spawn(process.execPath, [script, task, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => kill(child))
  return { lines: createInterface(child.stdout), kill: () => kill(child) }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

export async function nextLine({ lines }: Holder): Promise<string> {
  const [line] = (await once(lines, 'line')) as [string]
  return line
}
