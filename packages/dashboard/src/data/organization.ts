import type { Answer } from '@rollkey/sdk/core'
import { queryOptions } from '@tanstack/react-query'
import { identity, unwrap } from '../session/identity.ts'
import { ask, type Scope } from '../session/scope.ts'

export type OrganizationSettings = Answer<'organization'>

export const organizationSettingsQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['organization-settings', scope.orgSlug],
    queryFn: (): Promise<OrganizationSettings> => ask(scope, 'organization', {}),
  })

export async function setCreatesOnWrite(scope: Scope, createsOnWrite: boolean): Promise<void> {
  await ask(scope, 'organizationUpdate', { createsOnWrite })
}

/** Renames the organization at the embedded identity provider. */
export async function renameOrganization(organizationId: string, name: string): Promise<void> {
  await unwrap(identity.organization.update({ organizationId, data: { name } }))
}

/** Deletes the organization with everything in it. Usage and the audit log stay with the operator. */
export async function deleteOrganization(scope: Scope): Promise<void> {
  await ask(scope, 'organizationDelete', { confirm: scope.orgSlug })
}
