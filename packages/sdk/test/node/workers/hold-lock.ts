/** Takes the lock of a file, says so, and never releases it. */
import { withLock } from '../../../src/node/lock.ts'

await withLock(process.argv[2] ?? '', () => {
  process.stdout.write('held')
  return new Promise(() => setInterval(() => {}, 60_000))
})
