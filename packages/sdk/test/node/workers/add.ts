/** Adds 1 to the number in a file, many times under a lock. Or dies while it holds the lock, before its last addition. */
import { readFileSync, writeFileSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { withLock } from '../../../src/node/lock.ts'

const [, , file = '', times = '', fate = ''] = process.argv

for (let left = Number(times); left > 0; left--) {
  // oxlint-disable-next-line no-await-in-loop -- one after the other, against the other processes
  await withLock(
    `${file}.lock`,
    async () => {
      const number = Number(readFileSync(file, 'utf8'))
      await turn()
      if (fate === 'dies' && left === 1) process.kill(process.pid, 'SIGKILL')
      writeFileSync(file, String(number + 1))
    },
    600_000,
  )
}
