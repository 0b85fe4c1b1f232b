import type { Access } from '../access/access.ts'
import type { Defaults } from '../access/defaults.ts'
import type { Grants } from '../access/grants.ts'
import type { Groups } from '../access/groups.ts'
import type { AccessHistory } from '../access/holders.ts'
import type { Principals } from '../access/principals.ts'
import type { Roles } from '../access/roles.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import type { Authentication } from '../auth/authenticate.ts'
import type { Organizations } from '../auth/organizations.ts'
import type { WebSignIn } from '../auth/web-sign-in.ts'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/api-error.ts'
import type { Applier } from '../changes/apply.ts'
import type { Changes } from '../changes/changes.ts'
import type { Ramps } from '../changes/ramps.ts'
import type { ChangeReader } from '../changes/reader.ts'
import type { Declarations } from '../declarations/declarations.ts'
import type { Digests } from '../evaluation/digests.ts'
import type { Evaluation } from '../evaluation/evaluate.ts'
import type { Explanation } from '../evaluation/explanation.ts'
import type { PlainValues } from '../evaluation/plain-values.ts'
import type { Reports } from '../evaluation/reports.ts'
import type { Rulesets } from '../evaluation/rulesets.ts'
import type { Hooks } from '../notifications/hooks.ts'
import type { Usage } from '../metering/usage.ts'
import type { ClientKeys } from '../sessions/client-keys.ts'
import type { DeviceCodes } from '../sessions/device-codes.ts'
import type { ServiceTokens } from '../sessions/service-tokens.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { CopyChange } from '../variables/changes/copy.ts'
import type { UpdateChange } from '../variables/changes/updates.ts'
import type { RestoreChange } from '../history/restore-change.ts'
import type { RecentHistory } from '../history/recent-history.ts'
import type { History } from '../history/history.ts'
import type { PlainHistory } from '../evaluation/plain-history.ts'
import type { Deletion } from '../deletion/deletion.ts'
import type { Shipper } from '../replica/shipper.ts'
import type { Projects } from '../stages/projects.ts'
import type { Search } from '../stages/search.ts'
import type { Reveal } from '../variables/reveal.ts'
import type { SignInRules } from '../access/sign-in-rules.ts'
import type { LastEvaluations } from '../evaluation/last-evaluations.ts'
import type { RollCounts } from '../evaluation/roll-counts.ts'
import type { MissingVariables } from '../stages/missing.ts'
import type { OverdueVariables } from '../declarations/overdue.ts'
import type { Rolls } from '../evaluation/rolls.ts'
import type { Stages } from '../stages/stages.ts'
import type { Subscriptions } from '../live/subscriptions.ts'
import type { Trusts } from '../trusts/trusts.ts'
import type { VariableWriter } from '../variables/write.ts'

/** The way that people sign in to the web application. */
export type Web =
  | {
      readonly provider: 'embedded'
      readonly signUp: 'invitation' | 'open'
      readonly passkeys: boolean
      /** The companies' providers at which people can sign in. */
      readonly companies: { name: string; label: string; groups: boolean }[]
      /** Whether people can have a link mailed that sets a new password; undefined: no. */
      readonly mailsResets: true | undefined
      /** Whether this is a demo; undefined: no. */
      readonly isDemo: true | undefined
      /** Returns whether there is an account. */
      readonly isSetUp: () => Promise<boolean>
    }
  | {
      readonly provider: 'external'
      /** Absent if the service is not a client of the provider. */
      readonly signIn: WebSignIn | undefined
      /** Whether the provider reports the groups of people. */
      readonly groups: boolean
    }

/** The parts that the endpoints call. */
export interface Services {
  readonly authentication: Authentication
  readonly access: Access
  readonly principals: Principals
  readonly grants: Grants
  readonly groups: Groups
  readonly roles: Roles
  readonly defaults: Defaults
  readonly accessHistory: AccessHistory
  readonly auditLog: AuditLog
  readonly evaluation: Evaluation
  readonly explanation: Explanation
  readonly digests: Digests
  readonly plainValues: PlainValues
  readonly rulesets: Rulesets
  readonly reports: Reports
  readonly projects: Projects
  readonly declarations: Declarations
  readonly deletion: Deletion
  readonly search: Search
  readonly subscriptions: Subscriptions
  readonly organizations: Organizations
  readonly usage: Usage
  readonly stages: Stages
  readonly writer: VariableWriter
  readonly copies: CopyChange
  readonly changes: Changes
  readonly changeReader: ChangeReader
  readonly applier: Applier
  readonly ramps: Ramps
  readonly updates: UpdateChange
  readonly restores: RestoreChange
  readonly reveal: Reveal
  readonly history: History
  readonly plainHistory: PlainHistory
  readonly recentHistory: RecentHistory
  readonly rollCounts: RollCounts
  readonly lastEvaluations: LastEvaluations
  readonly signInRules: SignInRules
  readonly rolls: Rolls
  readonly missingVariables: MissingVariables
  readonly overdueVariables: OverdueVariables
  readonly sessions: Sessions
  readonly trusts: Trusts
  readonly serviceTokens: ServiceTokens
  readonly clientKeys: ClientKeys
  readonly hooks: Hooks
  readonly deviceCodes: DeviceCodes
  /** Undefined if the store has none. */
  readonly replica: Pick<Shipper, 'trouble'> | undefined
  readonly clock: Clock
  /** The URL at which people reach the service, without a trailing slash. */
  readonly publicUrl: string
  readonly web: Web
  /** Returns the name of a person. Absent with an external provider, which keeps the accounts. */
  readonly personOf: (userId: string) => Promise<{ readonly name: string; readonly email: string } | undefined>
}

/** Returns the sign-in at the external provider. Throws NOT_FOUND if there is none. */
export function externalSignIn({ web }: Services): WebSignIn {
  if (web.provider === 'embedded')
    throw new ApiError('NOT_FOUND', 'This service has no external identity provider: sign in at the service itself.')
  if (web.signIn) return web.signIn
  throw new ApiError(
    'NOT_FOUND',
    'The service is not registered as a client of the identity provider: ask the operator to set ROLLKEY_IDP_CLIENT_ID.',
  )
}
