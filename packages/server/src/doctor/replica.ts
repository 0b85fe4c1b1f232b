/** The check of the replica of the embedded store. */
import { operatorProgram } from '../base/shipped-files.ts'
import { lastState } from '../replica/state.ts'
import { statusOf } from '../replica/status.ts'
import { fail, ok, warn, type Checks } from './finding.ts'

export const replicaChecks: Checks = {
  replica: async ({ config: { DATA_DIR }, openReplica }) => {
    const target = openReplica()
    if (!target) return undefined
    const service = lastState(DATA_DIR)
    const { successor, lagMs = 0, problem } = service ?? {}
    if (service?.state === 'replaced') {
      return fail(
        `process ${successor?.process} on ${successor?.host} ships to it now, and nothing of this service is shipped`,
        'Stop the service that must no longer serve. A restart makes a service the writer again.',
      )
    }
    if (service?.state === 'behind') {
      return fail(
        `lacks what was written in the last ${Math.ceil(lagMs / 1_000)} s (${problem ?? 'it does not answer'})`,
        'Look at ROLLKEY_REPLICA_URL, its disk or network, and at the log. The service goes on trying.',
      )
    }
    const { problem: damage, to, writer } = await statusOf(target)
    if (damage !== undefined && service)
      return fail(damage, `Run ${operatorProgram} replica verify, and keep a backup.`)
    if (to === undefined) return warn('has nothing yet', 'Start the service.')
    return ok(`can be restored to ${to}, shipped by writer ${writer?.writer}`)
  },
}
