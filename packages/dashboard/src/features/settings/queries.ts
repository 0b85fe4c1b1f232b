import type { Response } from '@rollkey/contract'
import { queryOptions } from '@tanstack/react-query'
import { ask, type Scope } from '../../session/scope.ts'

export type OrganizationSettings = Response<'organization'>

export const organizationSettingsQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['organization-settings', scope.orgSlug],
    queryFn: (): Promise<OrganizationSettings> => ask(scope, '/v1/organization/show', {}),
  })

export async function setCreatesOnWrite(scope: Scope, createsOnWrite: boolean): Promise<void> {
  await ask(scope, '/v1/organization/update', { createsOnWrite })
}
