/** The store, and the keys in it. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { errorsOfRun } from '../storage/integrity.ts'
import { dataKeysOfProject, installationKey } from '../storage/keys.ts'
import { newestSchema, schemaVersion } from '../storage/migrate.ts'
import { everyStage } from '../storage/stages.ts'
import { fail, ok, warn, type Checks } from './finding.ts'

export const storeChecks: Checks = {
  store: ({ sql, config: { DATABASE_URL, DATA_DIR } }) => {
    if (sql) return ok(DATABASE_URL === undefined ? `embedded, in ${DATA_DIR}` : 'PostgreSQL answers')
    if (DATABASE_URL !== undefined) {
      return fail(
        'the database of ROLLKEY_DATABASE_URL does not answer',
        'Start it, or correct the address and password.',
      )
    }
    return warn(`there is none in ${DATA_DIR} yet`, 'Start the service, or correct ROLLKEY_DATA_DIR.')
  },
  schema: async ({ sql }) => {
    if (!sql) return undefined
    const [found, newest] = [await schemaVersion(sql), newestSchema()]
    if (found === newest) return ok(`${found}`)
    if (found > newest) return fail(`${found} is of a newer Rollkey than this`, 'Start the newer one.')
    return warn(`${found}, this Rollkey has ${newest}`, 'The next start brings it up: make a backup before.')
  },
  integrity: ({ sql, config: { DATABASE_URL, DATA_DIR } }) => {
    if (!sql || DATABASE_URL !== undefined) return undefined
    const files = ['rollkey.db', 'identity.db'].filter((name) => existsSync(path.join(DATA_DIR, name)))
    const faults = files.flatMap((name) =>
      errorsOfRun(path.join(DATA_DIR, name)).map((apiError) => `${name}: ${apiError}`),
    )
    if (faults.length === 0) return ok(`${files.join(' and ')} are whole`)
    return fail(faults.join('; '), 'Stop the service, keep the files, and restore the latest backup that verifies.')
  },
  'data keys': async ({ sql, openKeyring }) => {
    if (!sql || !(await installationKey(sql))) return undefined
    const keyring = await openKeyring(sql)
    const projects = new Set((await everyStage(sql)).map(({ projectId }) => projectId))
    let lost = 0
    for (const projectId of projects) {
      const [stored, opened] = [await dataKeysOfProject(sql, projectId), await keyring.keysOf(projectId)]
      if (opened.length < stored.length) lost++
    }
    if (lost === 0) return ok(`the master key opens those of all ${projects.size} projects`)
    return fail(
      `of ${lost} of ${projects.size} projects, keys cannot be opened`,
      'docs/operator-guide.md, “A lost master key”.',
    )
  },
}
