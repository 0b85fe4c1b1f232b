/** A thread that derives keys from passwords, one at a time. */
import { scryptSync } from 'node:crypto'
import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'

export interface ScryptInput {
  readonly password: string
  readonly salt: string
}

/** The parameters of better-auth, which the stored hashes do not name. */
const keyBytes = 64
const cost = { N: 16_384, r: 16, p: 1, maxmem: 67_108_864 }

// On Linux, 0 means the calling thread. On other systems it would mean the whole process.
if (process.platform === 'linux') {
  try {
    setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // A sandbox may forbid a lower priority. The thread then competes with the event loop.
  }
}

parentPort?.on('message', ({ password, salt }: ScryptInput) => {
  const key = scryptSync(password.normalize('NFKC'), salt, keyBytes, cost)
  parentPort?.postMessage(key.toString('hex'))
})
