/** The values of the form for a new service token, and the request made from them. */
import { builtInRoles, type MachineRole, machineRoles, type Place } from '@rollkey/contract/rules'
import type { Request } from '@rollkey/sdk/core'
import type { May } from '../../lib/may.ts'
import { required } from '../../lib/validation.ts'
import { labels } from './labels.ts'

export type TokenRequest = Omit<Request<'tokenCreate'>, 'orgSlug'>

/** Where a credential is valid, and what it may do there. */
export interface ScopedDraft {
  readonly scope: TokenScope
  readonly project: string
  readonly stage: string
  readonly role: MachineRole
}

export interface TokenDraft extends ScopedDraft, Record<string, unknown> {
  readonly name: string
  readonly history: boolean
  /** Lifetime in days. */
  readonly lifetime: string
}

type TokenScope = keyof typeof labels.create.scopes

/** The narrowest scope first. */
export const scopeChoices = Object.entries(labels.create.scopes).map(([value, label]) => ({ value, label }))

export const lifetimes = Object.entries(labels.create.lifetimes).map(([value, label]) => ({ value, label }))

export const emptyToken: TokenDraft = {
  name: '',
  scope: 'stage',
  project: '',
  stage: '',
  // What most apps need, and no more.
  role: 'reader',
  history: false,
  lifetime: '365',
}

/** Returns the roles that allow no more than the viewer may do in the scope, because the service refuses others. */
export function rolesIn(draft: ScopedDraft, may: May): readonly MachineRole[] {
  const { scope, project, stage } = draft
  if ((scope !== 'organization' && project === '') || (scope === 'stage' && stage === '')) return machineRoles
  const place = placeIn(draft)
  return machineRoles.filter((role) => builtInRoles[role].every((verb) => may(verb, place)))
}

/** Returns the place of a credential. */
export function placeIn({ scope, project, stage }: ScopedDraft): Place {
  return {
    ...(scope !== 'organization' && { projectSlug: project }),
    ...(scope === 'stage' && { stageSlug: stage }),
  }
}

export const scopeChecks = (may: May) => ({
  project: (project: string, { scope }: ScopedDraft) =>
    scope !== 'organization' && project === '' ? labels.create.projectMissing : null,
  stage: (stage: string, { scope }: ScopedDraft) =>
    scope === 'stage' && stage === '' ? labels.create.stageMissing : null,
  role: (role: MachineRole, draft: ScopedDraft) =>
    rolesIn(draft, may).includes(role) ? null : labels.create.roleMissing,
})

export const tokenChecks = (may: May) => ({ name: required(labels.create.nameMissing), ...scopeChecks(may) })

export function tokenRequest(draft: TokenDraft): TokenRequest {
  const { name, role, history, lifetime } = draft
  return {
    name: name.trim(),
    ...placeIn(draft),
    role,
    history,
    expiresInDays: Number(lifetime),
  }
}
