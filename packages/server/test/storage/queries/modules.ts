/** The query modules for the suite. */
import * as access from '../../../src/storage/access.ts'
import * as auditChain from '../../../src/storage/audit-chain.ts'
import * as auditStream from '../../../src/storage/audit-stream.ts'
import * as audit from '../../../src/storage/audit.ts'
import * as billing from '../../../src/storage/billing.ts'
import * as changes from '../../../src/storage/changes.ts'
import * as clientKeys from '../../../src/storage/client-keys.ts'
import * as declarations from '../../../src/storage/declarations.ts'
import * as deletion from '../../../src/storage/deletion.ts'
import * as deviceCodes from '../../../src/storage/device-codes.ts'
import * as dueChanges from '../../../src/storage/due-changes.ts'
import * as hooks from '../../../src/storage/hooks.ts'
import * as history from '../../../src/storage/history.ts'
import * as keys from '../../../src/storage/keys.ts'
import * as lastEvaluations from '../../../src/storage/last-evaluations.ts'
import * as leases from '../../../src/storage/leases.ts'
import * as mails from '../../../src/storage/mails.ts'
import * as makers from '../../../src/storage/makers.ts'
import * as missing from '../../../src/storage/missing.ts'
import * as organizations from '../../../src/storage/organizations.ts'
import * as passwordTries from '../../../src/storage/password-tries.ts'
import * as projects from '../../../src/storage/projects.ts'
import * as revisions from '../../../src/storage/revisions.ts'
import * as rollCounts from '../../../src/storage/roll-counts.ts'
import * as rolls from '../../../src/storage/rolls.ts'
import * as sealed from '../../../src/storage/sealed.ts'
import * as search from '../../../src/storage/search.ts'
import * as serviceTokens from '../../../src/storage/service-tokens.ts'
import * as sessions from '../../../src/storage/sessions.ts'
import * as stages from '../../../src/storage/stages.ts'
import * as trusts from '../../../src/storage/trusts.ts'
import * as usage from '../../../src/storage/usage.ts'
import * as variables from '../../../src/storage/variables.ts'

/** Query modules by the names of their files. */
export const queries = {
  access,
  audit,
  'audit-chain': auditChain,
  'audit-stream': auditStream,
  billing,
  changes,
  'client-keys': clientKeys,
  declarations,
  deletion,
  'device-codes': deviceCodes,
  'due-changes': dueChanges,
  history,
  hooks,
  keys,
  'last-evaluations': lastEvaluations,
  leases,
  mails,
  makers,
  missing,
  organizations,
  'password-tries': passwordTries,
  projects,
  revisions,
  'roll-counts': rollCounts,
  rolls,
  sealed,
  search,
  'service-tokens': serviceTokens,
  sessions,
  stages,
  trusts,
  usage,
  variables,
}

export type Queries = typeof queries

export const moduleNames: readonly string[] = Object.keys(queries)

/** Returns every query as `module.function`. */
export const allQueries: readonly string[] = Object.entries(queries).flatMap(([file, module]) =>
  Object.entries(module).flatMap(([name, value]) => (typeof value === 'function' ? [`${file}.${name}`] : [])),
)
