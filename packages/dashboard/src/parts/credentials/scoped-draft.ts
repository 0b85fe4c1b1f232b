/** Where a credential is valid, and what it may do there, as a form has it. */
import { builtInRoles, type MachineRole, machineRoles, type Place } from '@rollkey/contract/rules'
import type { May } from '../../lib/may.ts'
import { labels } from './labels.ts'

/** Where a credential is valid, and what it may do there. */
export interface ScopedDraft {
  readonly scope: TokenScope
  readonly project: string
  readonly stage: string
  readonly role: MachineRole
}

type TokenScope = keyof typeof labels.scopes

/** The narrowest scope first. */
export const scopeChoices = Object.entries(labels.scopes).map(([value, label]) => ({ value, label }))

/** What most apps need, and no more. */
export const emptyScope: ScopedDraft = { scope: 'stage', project: '', stage: '', role: 'reader' }

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
    scope !== 'organization' && project === '' ? labels.projectMissing : null,
  stage: (stage: string, { scope }: ScopedDraft) => (scope === 'stage' && stage === '' ? labels.stageMissing : null),
  role: (role: MachineRole, draft: ScopedDraft) => (rolesIn(draft, may).includes(role) ? null : labels.roleMissing),
})
