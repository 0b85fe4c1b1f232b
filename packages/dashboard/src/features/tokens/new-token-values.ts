/** What the form for a new service token is filled in with. */
import type { Request } from '@rollkey/contract'
import { required } from '../../lib/validation.ts'

export type NewServiceToken = Omit<Request<'tokenCreate'>, 'orgSlug'>

export interface TokenDraft extends Record<string, unknown> {
  readonly name: string
  readonly reach: Reach
  readonly project: string
  readonly stage: string
  readonly writes: boolean
  readonly history: boolean
  /** In days. */
  readonly lifetime: string
}

type Reach = 'organization' | 'project' | 'stage'

export const reaches: readonly { readonly value: Reach; readonly label: string }[] = [
  { value: 'stage', label: 'One stage' },
  { value: 'project', label: 'One project' },
  { value: 'organization', label: 'The whole organization' },
]

export const lifetimes = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: '1095', label: '3 years' },
  { value: '3650', label: '10 years' },
] as const

export const emptyToken: TokenDraft = {
  name: '',
  reach: 'stage',
  project: '',
  stage: '',
  writes: false,
  history: false,
  lifetime: '365',
}

function chosen(what: string, value: string): string | null {
  return value === '' ? `Choose ${what}.` : null
}

export const tokenChecks = {
  name: required('what the token is for'),
  project: (project: string, { reach }: TokenDraft) => (reach === 'organization' ? null : chosen('a project', project)),
  stage: (stage: string, { reach }: TokenDraft) => (reach === 'stage' ? chosen('a stage', stage) : null),
}

export function askedToken({ name, reach, project, stage, writes, history, lifetime }: TokenDraft): NewServiceToken {
  return {
    name: name.trim(),
    ...(reach !== 'organization' && { projectSlug: project }),
    ...(reach === 'stage' && { stageSlug: stage }),
    readOnly: !writes,
    history,
    expiresInDays: Number(lifetime),
  }
}
