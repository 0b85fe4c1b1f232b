/** Signing in at companies' providers, through the embedded identity provider. */
import { queryOptions } from '@tanstack/react-query'
import { identity, unwrap } from './identity.ts'
import type { EmbeddedSettings } from './settings.ts'

export type Company = EmbeddedSettings['companies'][number]

interface CompanyStart {
  readonly provider: string
  readonly next: string
  readonly purpose?: 'confirm' | 'add'
  readonly invitation?: string
}

/** Leaves for the provider, which sends the browser back to `next`. */
export async function startCompanySignIn(body: CompanyStart): Promise<void> {
  const { url } = await unwrap(identity.$fetch<{ url: string }>('/company/sign-in', { method: 'POST', body }))
  location.assign(url)
}

interface Status {
  readonly methods: readonly { readonly name: string; readonly isReachable: boolean }[]
}

/** The names of the providers that do not answer. */
export const companyStatusQuery = queryOptions({
  queryKey: ['company-status'],
  queryFn: async (): Promise<readonly string[]> => {
    const { methods } = await unwrap(identity.$fetch<Status>('/company/status'))
    return methods.filter(({ isReachable }) => !isReachable).map(({ name }) => name)
  },
})

export interface ConnectedCompany {
  readonly id: string
  readonly label: string
  readonly createdAt: string
}

interface Methods {
  readonly hasPassword: boolean
  readonly companies: readonly ConnectedCompany[]
}

/** The ways in which the person can sign in. */
export const methodsQuery = (userId: string) =>
  queryOptions({
    queryKey: ['sign-in-methods', userId],
    queryFn: (): Promise<Methods> => unwrap(identity.$fetch<Methods>('/company/methods')),
  })

export async function disconnectCompany(id: string): Promise<void> {
  await unwrap(identity.$fetch('/company/remove', { method: 'POST', body: { id } }))
}
