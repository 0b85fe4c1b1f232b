/** What a principal may do at a place, and what gives it. */
import { builtInRoles, effectiveVerbs, isWithin, type Place, type Response, type VerbGrant } from '@rollkey/contract'
import { ofAdmins } from './permissions.ts'
import type { Policy, PolicyGrant, Principal } from './policy.ts'
import { namedPrincipal, type Standing } from './principals.ts'

type Explanation = Response<'accessExplain'>
type Source = Explanation['sources'][number]

export function explain(
  policy: Policy,
  principal: Principal,
  { role, token }: Standing,
  place: Place,
  nowMs: number,
): Explanation {
  const { defaultRole } = policy
  const guarded = policy.guarded(place)
  const given: { source: Omit<Source, 'verbs'>; grant: VerbGrant }[] = []
  if (role !== undefined && defaultRole !== 'none')
    given.push({ source: { from: 'default', role: defaultRole }, grant: { verbs: builtInRoles[defaultRole] } })
  if (role === 'owner' || role === 'admin') given.push({ source: { from: role }, grant: ofAdmins })
  if (token) {
    const { projectSlug, stageSlug } = token
    const source = { from: 'token', role: token.role, projectSlug, stageSlug } as const
    given.push({ source, grant: { projectSlug, stageSlug, verbs: builtInRoles[token.role] } })
  }
  for (const grant of policy.grantsOf(principal)) given.push({ source: sourceOf(grant), grant })
  const scope = token ?? policy.scopeOf(principal)
  const applying = given.filter(
    ({ grant }) =>
      isWithin(place, grant) &&
      // Nothing reaches beyond the scope of a machine.
      (!scope || isWithin(place, scope)) &&
      (grant.expiresAtMs === undefined || nowMs < grant.expiresAtMs),
  )
  return {
    verbs: effectiveVerbs(applying.map(({ grant }) => grant), guarded, nowMs), // prettier-ignore
    isProtected: guarded.isProtected === true,
    sources: applying.map(({ source, grant }) => ({ ...source, verbs: effectiveVerbs([grant], guarded, nowMs) })),
  }
}

function sourceOf({ principal, role, projectSlug, stageSlug, expiresAtMs, isOwn }: PolicyGrant): Omit<Source, 'verbs'> {
  if (isOwn) return { from: 'trust', role, projectSlug, stageSlug }
  return { from: 'grant', principal: namedPrincipal(principal), projectSlug, stageSlug, role, expiresAtMs }
}
