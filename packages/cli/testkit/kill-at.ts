/**
 * Loaded before a program (`--import`): counts what it does to files, and kills it right before the operation of the number `KILL_AT`.
 * Without a number, it writes the count to the file `KILL_COUNT`.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const { KILL_AT: killAt, KILL_COUNT: countFile = '' } = process.env
const { writeFileSync } = fs
let count = 0

type Operation = (...args: unknown[]) => unknown

/** Counts the calls of these methods of an object, which may return file handles. */
function countCalls(target: object, names: readonly string[]): void {
  const methods = target as Record<string, Operation>
  for (const name of names) {
    const call = methods[name]?.bind(target)
    methods[name] = (...args) => {
      count++
      if (String(count) === killAt) process.kill(process.pid, 'SIGKILL')
      const result = call?.(...args)
      return name === 'open' ? (result as Promise<object>).then(withCounts) : result
    }
  }
}

function withCounts(handle: object): object {
  countCalls(handle, ['writeFile', 'sync', 'close'])
  return handle
}

countCalls(fs.promises, ['mkdir', 'open', 'rename', 'rm'])
countCalls(fs, ['mkdirSync', 'rmSync', 'writeFileSync'])
syncBuiltinESMExports()
if (killAt === undefined) process.on('exit', () => writeFileSync(countFile, String(count)))
