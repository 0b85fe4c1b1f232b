/** The commands that show what an installation contains. */
import { lastState } from '../replica/state.ts'
import { schemaVersion } from '../storage/migrate.ts'
import { countAll, everyOrganization } from '../storage/organizations.ts'
import { operatorActorOf } from '../storage/actor.ts'
import { CommandError } from './command-error.ts'
import { organizationOf, storeCommand } from './command.ts'

export const status = storeCommand({
  name: 'status',
  summary: 'Show whether the service runs, the schema version, and how much is stored',
  examples: [['status', 'opens the store, and so finds a wrong master key']],
  async runOnStore({ sql, serving, embeddedFolder }) {
    const replica = embeddedFolder === undefined ? undefined : lastState(embeddedFolder)
    return {
      serving,
      schema: await schemaVersion(sql),
      ...(await countAll(sql)),
      ...(replica && { replica: { state: replica.state, lagMs: replica.lagMs } }),
    }
  },
})

export const organizations = storeCommand({
  name: 'organizations',
  summary: 'List the IDs and slugs of all organizations, and when they were deleted',
  examples: [['organizations', 'other commands take either']],
  async runOnStore({ sql }) {
    const rows = await everyOrganization(sql)
    return {
      organizations: rows.map(({ id, slug, deleted_at_ms: at }) => ({
        id,
        slug,
        ...(at !== null && { deletedAtMs: at }),
      })),
    }
  },
})

export const reopen = storeCommand<{ org: string }>({
  name: 'reopen',
  args: [['<ORG>', 'slug or ID of the organization']],
  summary: 'Let people use a deleted organization of an external identity provider again, without its former content',
  examples: [['reopen acme', 'its members at the provider can sign in again']],
  async runOnStore({ sql, identity, organizations: all }, { org }) {
    if (identity)
      throw new CommandError(
        'CONFLICT',
        'The embedded identity provider has deleted the members too, so no one could sign in: create another organization.',
      )
    const { id, slug } = await organizationOf(sql, org)
    if (await all.reopen(operatorActorOf(id))) return { reopened: { id, slug } }
    throw new CommandError('CONFLICT', 'The organization is not deleted: list them', 'organizations')
  },
})
