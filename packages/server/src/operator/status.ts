/** The commands that show what an installation contains. */
import { schemaVersion } from '../storage/migrate.ts'
import { countAll, everyOrganization } from '../storage/organizations.ts'
import { storeCommand } from './command.ts'

export const status = storeCommand({
  name: 'status',
  summary: 'Show whether the service runs, the schema version, and how much is stored',
  examples: [['status', 'opens the store, and so finds a wrong master key']],
  runOnStore: async ({ sql, serving }) => ({ serving, schema: await schemaVersion(sql), ...(await countAll(sql)) }),
})

export const organizations = storeCommand({
  name: 'organizations',
  summary: 'List the IDs and slugs of all organizations',
  examples: [['organizations', 'other commands take either']],
  runOnStore: async ({ sql }) => ({ organizations: await everyOrganization(sql) }),
})
