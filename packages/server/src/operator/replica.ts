/** The commands that show, verify and restore the replica of the embedded store (docs/replica.md). */
import { auditRetentionOf } from '../config.ts'
import type { RestoreParts } from '../backup/restore.ts'
import type { Progress } from '../base/progress.ts'
import { restoreReplica, verifyReplica, type ReplicaSource } from '../replica/restore.ts'
import { lastState } from '../replica/state.ts'
import { readRecord, type StandbyRecord } from '../replica/standby-record.ts'
import { statusOf } from '../replica/status.ts'
import { BadReplica, type ReplicaTarget } from '../replica/target.ts'
import { createDataDirectory } from '../storage/data-directory.ts'
import { hasStore, intoEmptyDirectory, keyFileOption } from './backup.ts'
import { CommandError, usage } from './command-error.ts'
import { offlineCommand, type Deployment } from './command.ts'
import { readIdentity } from './key-file.ts'

interface ReplicaInput {
  readonly keyFile: string
  readonly to?: string
}

const toOption = [
  '--to <time>',
  'the state of this moment, such as 2026-11-29T14:30:00Z (default: the newest)',
] as const

/** A time with its zone, so that no one restores to another hour than they mean. */
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/

function momentOf(to: string | undefined, command: string): number | undefined {
  if (to === undefined) return undefined
  const moment = timePattern.test(to) ? Date.parse(to) : Number.NaN
  if (Number.isNaN(moment))
    throw usage('Invalid --to (expected a time with its zone, such as 2026-11-29T14:30:00Z).', command)
  return moment
}

/** Returns the replica. Throws CommandError without one. */
export function targetOf({ openReplica }: Deployment): ReplicaTarget {
  const target = openReplica()
  if (target) return target
  throw new CommandError('INVALID_SETTING', 'ROLLKEY_REPLICA_URL is not set: set it as for the service.')
}

/** Runs the work on the replica. Throws CommandError. */
export async function onReplica<T>(work: Promise<T>, effect = ' Nothing was changed.'): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof BadReplica) throw new CommandError('INVALID_FILE', `${error.message}${effect}`)
    throw error
  }
}

function partsOf(deployment: Deployment, progress: Progress): RestoreParts {
  const { config } = deployment
  return { ...deployment, dataDir: config.DATA_DIR, auditRetention: auditRetentionOf(config), progress }
}

function sourceOf(deployment: Deployment, { keyFile, to }: ReplicaInput, command: string): ReplicaSource {
  return { target: targetOf(deployment), identity: readIdentity(keyFile), toMs: momentOf(to, command) }
}

/** Returns what the standby of the data directory last said, if it is one. */
function standbyOf(dataDir: string): StandbyRecord | undefined {
  return hasStore(dataDir) ? undefined : readRecord(dataDir)
}

export const replicaStatus = offlineCommand({
  name: 'replica status',
  summary:
    'Show what the replica has, who ships to it, and what the service or the standby last said of it; needs no key',
  examples: [['replica status', 'exits with 1 if the newest state cannot be restored']],
  async runOffline(deployment) {
    const { REPLICA_URL: url, DATA_DIR } = deployment.config
    const status = await onReplica(statusOf(targetOf(deployment)))
    const service = lastState(DATA_DIR)
    const standby = standbyOf(DATA_DIR)
    const good =
      status.problem === undefined &&
      (service === undefined || service.state === 'shipping') &&
      (standby === undefined || (standby.state === 'following' && standby.position !== undefined))
    return { good, url, ...status, ...(service && { service }), ...(standby && { standby }) }
  },
})

export const replicaVerify = offlineCommand<ReplicaInput>({
  name: 'replica verify',
  summary: 'Verify the replica without changes: read it as a restore does, open every value, check the audit logs',
  required: [keyFileOption],
  options: [toOption],
  examples: [['replica verify --key-file backup.key', 'needs the master key, too']],
  async runOffline(deployment, input, progress) {
    const source = sourceOf(deployment, input, 'replica verify')
    createDataDirectory(deployment.config.DATA_DIR)
    const verdict = await onReplica(verifyReplica(source, partsOf(deployment, progress)))
    return { good: verdict.auditProblems.length === 0, ...verdict }
  },
})

export const replicaRestore = offlineCommand<ReplicaInput>({
  name: 'replica restore',
  summary: 'Restore the replica to an empty data directory; everyone must sign in again',
  required: [keyFileOption],
  options: [toOption],
  examples: [
    ['replica restore --key-file backup.key', 'the newest state, to ROLLKEY_DATA_DIR'],
    ['replica restore --to 2026-11-29T14:30Z --key-file my.key', 'a moment'],
  ],
  async runOffline(deployment, input, progress) {
    const source = sourceOf(deployment, input, 'replica restore')
    return intoEmptyDirectory(deployment, () => onReplica(restoreReplica(source, partsOf(deployment, progress))))
  },
})
