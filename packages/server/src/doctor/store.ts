/** The checks of the store and its keys. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { countText } from '../base/count-text.ts'
import { operatorProgram } from '../base/shipped-files.ts'
import { boundedIntegrity } from '../storage/integrity.ts'
import { dataKeysOfProject, installationKey } from '../storage/keys.ts'
import { newestSchema, schemaVersion } from '../storage/migrate.ts'
import { everyStage } from '../storage/stages.ts'
import { fail, ok, warn, type Checks } from './finding.ts'

/** Rows up to which a table is checked, because doctor runs daily beside the service. */
const maxCheckedRows = 100_000

export const storeChecks: Checks = {
  store: ({ sql, storeProblem, config: { DATABASE_URL, DATA_DIR } }) => {
    if (sql) return ok(DATABASE_URL === undefined ? `embedded, in ${DATA_DIR}` : 'PostgreSQL answers')
    if (storeProblem !== undefined)
      return fail(storeProblem, 'See docs/operator-guide.md, “A database that is half there”.')
    return warn(`none in ${DATA_DIR} yet`, 'Start the service, or correct ROLLKEY_DATA_DIR.')
  },
  schema: async ({ sql }) => {
    if (!sql) return undefined
    const [found, newest] = [await schemaVersion(sql), newestSchema()]
    if (found === newest) return ok(`${found}`)
    if (found > newest) return fail(`${found} is newer than this version of Rollkey`, 'Start the newer version.')
    return warn(`${found}, older than ${newest} of this version`, 'The next start upgrades it: make a backup first.')
  },
  integrity: ({ sql, config: { DATABASE_URL, DATA_DIR } }) => {
    if (!sql || DATABASE_URL !== undefined) return undefined
    const files = ['rollkey.db', 'identity.db'].filter((name) => existsSync(path.join(DATA_DIR, name)))
    const found = files.map((name) => ({ name, ...boundedIntegrity(path.join(DATA_DIR, name), maxCheckedRows) }))
    const errors = found.flatMap((each) => each.errors.map((error) => `${each.name}: ${error}`))
    const large = found.flatMap(({ unchecked }) => unchecked)
    if (errors.length === 0 && large.length === 0) return ok(`${files.join(' and ')} are intact`)
    if (errors.length === 0) {
      return ok(
        `${files.join(' and ')} are intact, except that ${large.join(', ')} are too large to check here: ` +
          `${operatorProgram} backup verify checks all of a backup`,
      )
    }
    return fail(
      errors.join('; '),
      'Stop the service, keep the damaged files, and restore the latest backup that verifies.',
    )
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
    if (lost === 0)
      return ok(
        `the master key opens the keys of ${projects.size === 1 ? 'the project' : `all ${projects.size} projects`}`,
      )
    return fail(
      `keys of ${lost} of ${countText(projects.size, 'project')} cannot be opened`,
      'See docs/operator-guide.md, “A lost master key”.',
    )
  },
}
