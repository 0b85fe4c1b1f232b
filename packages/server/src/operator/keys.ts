/** The commands that manage the master key and the data keys (docs/keys.md). */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { StoreUnavailable } from '../base/api-error.ts'
import { CannotUnwrap } from '../crypto/kms/kms.ts'
import { keyedProjects, retiredKeys } from '../storage/keys.ts'
import { isKeyInUse } from '../storage/sealed.ts'
import type { Sql } from '../storage/sql.ts'
import { KeyRotation } from '../variables/key-rotation.ts'
import { CommandError, usage } from './command-error.ts'
import { orgIdOf, storeCommand } from './command.ts'

/** The age at which a data key counts as old. NIST SP 800-57 part 1, 5.3.6: use a data encryption key for at most two years. */
const oldMs = 365 * 24 * 60 * 60_000

/** Counts the retired keys, and those that still seal values: more than zero only while a rotation runs or after it stopped. */
async function countRetired(sql: Sql): Promise<{ retired: number; retiredInUse: number }> {
  const keys = await retiredKeys(sql)
  let retiredInUse = 0
  for (const { id } of keys) {
    if (await isKeyInUse(sql, id)) retiredInUse++
    await nextTurn()
  }
  return { retired: keys.length, retiredInUse }
}

export const keyStatus = storeCommand({
  name: 'key status',
  summary: 'Show the master key, how many data keys each master key wraps, and data keys that are old or retired',
  examples: [['key status', 'after a change of the master key, only the new one wraps data keys']],
  async runOnStore({ sql, keyring, clock }) {
    const projects = await keyedProjects(sql)
    const old = projects.filter(({ madeAtMs }) => madeAtMs !== null && madeAtMs < clock.now() - oldMs)
    return {
      ...(await keyring.wrapping()),
      current: projects.filter(({ madeAtMs }) => madeAtMs !== null).length,
      ...(await countRetired(sql)),
      olderThanAYear: old.map(({ orgSlug, projectSlug }) => `${orgSlug}/${projectSlug}`).toSorted(),
    }
  },
})

export const keyRotate = storeCommand({
  name: 'key rotate',
  summary: 'Wrap every data key with the current master key; the service may keep running',
  examples: [['key rotate', 'after ROLLKEY_PREVIOUS_MASTER_KEY or ROLLKEY_PREVIOUS_KMS_URL was set']],
  async runOnStore({ keyring, clock }, _, progress) {
    try {
      return { rewrapped: await keyring.rewrap(clock.now(), progress), ...(await keyring.wrapping()) }
    } catch (error) {
      if (!(error instanceof CannotUnwrap)) throw error
      throw new CommandError(
        'INVALID_SETTING',
        'A data key is wrapped by a master key that is not configured: set it as ROLLKEY_PREVIOUS_MASTER_KEY or ROLLKEY_PREVIOUS_KMS_URL, restart the service, and repeat this command.',
      )
    }
  },
})

export const dataKeyRotate = storeCommand<{ org?: string; project?: string }>({
  name: 'data-key rotate',
  summary: 'Create new data keys and reseal the values; the service may keep running',
  options: [
    ['--org <org>', 'slug or ID of the organization (default: all)'],
    ['--project <project>', 'slug of a project of the organization (default: all)'],
  ],
  examples: [
    ['data-key rotate', 'all projects'],
    ['data-key rotate --org acme --project shop', 'one project'],
  ],
  async runOnStore(installation, { org, project: projectSlug }, progress) {
    const { sql } = installation
    if (projectSlug !== undefined && org === undefined) throw usage('--project needs --org.', 'data-key rotate')
    const orgId = org === undefined ? undefined : await orgIdOf(sql, org)
    const scope = { orgId, projectSlug }
    if (projectSlug !== undefined && (await keyedProjects(sql, scope)).length === 0) {
      throw new CommandError('NOT_FOUND', 'The organization has no project with this slug.')
    }
    try {
      return await new KeyRotation(installation).run(scope, progress)
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      throw new CommandError(
        'UNAVAILABLE',
        'The database became unavailable. Completed work is kept: repeat this command to finish.',
      )
    }
  },
})
