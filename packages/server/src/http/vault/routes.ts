/**
 * The paths of Vault's KV version 2 API below `/vault/v1` (docs/vault.md), for clients that others wrote. Each is an endpoint of the API
 * in another form: the same credentials, verbs, limits and billing events.
 */
import { ApiError } from '../../base/api-error.ts'
import type { DialectRoute } from '../dialect.ts'
import { preflight } from '../steps/preflight.ts'
import type { StepServices } from '../steps/index.ts'
import type { Step } from '../steps/step.ts'
import { vaultLoginRoutes, type VaultLoginParts } from './login-routes.ts'
import { vaultReadRoutes, type VaultReadParts } from './read-routes.ts'
import { root, slug } from './steps.ts'
import { vaultSystemRoutes, type VaultSystemParts } from './system-routes.ts'
import { vaultDialect } from './vault-dialect.ts'
import { vaultWriteRoutes, type VaultWriteParts } from './write-routes.ts'

export type AllVaultParts = StepServices & VaultReadParts & VaultWriteParts & VaultLoginParts & VaultSystemParts

const supported =
  'Rollkey has nothing at this path. It serves PROJECT/data/STAGE[/NAME], PROJECT/metadata[/STAGE[/NAME]], PROJECT/subkeys/STAGE[/NAME], ' +
  'auth/jwt/login, auth/kubernetes/login, auth/token/{lookup,renew,revoke}-self, sys/health, sys/seal-status, sys/mounts, ' +
  'sys/internal/ui/mounts and sys/capabilities-self, with version 2 of the KV API.'

/** Paths and methods with which Vault deletes a secret or a version. */
const deletion = new RegExp(`${root}${slug}/(?:delete|destroy|undelete)/`)
const deletionRefused =
  'Rollkey deletes no versions of a stage: to delete a variable, send PATCH {"data":{"NAME":null}} to PROJECT/data/STAGE.'
const secret = new RegExp(`${root}${slug}/(?:data|metadata)/`)
const wholeStage = new RegExp(`${root}${slug}/data/${slug}/?$`)
const wholeStageRefused =
  'A write of a whole stage would delete what it does not name: send PATCH, or write PROJECT/data/STAGE/NAME.'

/** Returns why a request is refused whose path is served with other methods. */
function refusalOf(path: string, method: string, allow: string): ApiError {
  const isDeletion = deletion.test(path) || (method === 'DELETE' && secret.test(path))
  const isWhole = wholeStage.test(path) && (method === 'POST' || method === 'PUT')
  const message = isDeletion ? deletionRefused : isWhole ? wholeStageRefused : `Send ${allow}.`
  return new ApiError('METHOD_NOT_ALLOWED', message, { allow })
}

/** Refuses what no route has taken. */
function refuse(routes: readonly DialectRoute[]): Step {
  return ({ request: { url = '', method = '' } }) => {
    const [path = ''] = url.split('?', 1)
    const methods = routes.filter((route) => (route.path as RegExp).test(path)).flatMap((route) => route.methods ?? [])
    if (methods.length === 0 && !deletion.test(path)) throw new ApiError('NOT_FOUND', supported)
    throw refusalOf(path, method, [...new Set([...methods, 'OPTIONS'])].join(', '))
  }
}

export function vaultRoutes(parts: AllVaultParts): DialectRoute[] {
  const routes = [
    // First, because clients send them most.
    ...vaultReadRoutes(parts),
    ...vaultWriteRoutes(parts),
    ...vaultLoginRoutes(parts),
    ...vaultSystemRoutes(parts),
  ]
  return [
    ...routes,
    {
      path: /^\/vault(?:\/|$)/,
      name: 'vaultUnknown',
      endpoint: { method: 'GET', auth: 'none', verb: 'none', errors: [] },
      steps: [preflight(parts.cors), refuse(routes)],
      dialect: vaultDialect,
    },
  ]
}
