import { CommandError } from './command-error.ts'
import { offlineCommand } from './command.ts'

const timeoutMs = 5_000

/** Returns the address at which this machine reaches a service that listens at the address. */
function reachable(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  if (address === '::') return '[::1]'
  return address.includes(':') ? `[${address}]` : address
}

export const health = offlineCommand({
  name: 'health',
  summary: 'Check that the service of this machine is ready; exits with 8 if it is not',
  examples: [['health', 'for the health check of a container, which may have no other program']],
  async runOffline({ config: { HOST, PORT } }) {
    const url = `http://${reachable(HOST)}:${PORT}/readyz`
    const status = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) }).then(
      (answer) => answer.status,
      () => undefined,
    )
    if (status === 200) return { ready: true }
    const what = status === undefined ? 'does not answer' : `answers with status ${status}`
    throw new CommandError('UNAVAILABLE', `${url} ${what} (expected 200): see the log of the service.`)
  },
})
