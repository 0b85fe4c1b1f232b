/** What entries of the audit log say about who could do what before them. */
import type { AuditAction, AuditFacts, DefaultRole, Verb } from '@rollkey/contract'
import { factsOfText } from '../storage/audit-content.ts'
import { principalOf } from './principals.ts'

/** What the actions that change access have in their facts before them. */
type State = NonNullable<
  AuditFacts<'access.grant'>['before'] &
    AuditFacts<'role.set'>['before'] &
    AuditFacts<'stage.protect'>['before'] &
    AuditFacts<'organization.update'>['before']
>

interface AccessFacts {
  /** As the store names it. */
  readonly principal: string
  readonly groupId: string
  readonly role: string
  readonly trustId: string
  readonly before: State | undefined
}

const none: AccessFacts = { principal: '', groupId: '', role: '', trustId: '', before: undefined }

/** Returns the facts of an entry about access. Those it does not have are empty. */
export function accessFacts(action: AuditAction, text: string | null): AccessFacts {
  if (text === null) return none
  const facts = factsOfText(text) as (Partial<AccessFacts> & Partial<AuditFacts<'access.grant'>>) | undefined
  if (!facts) return { ...none, ...factsOfWords(action, text.split(' ')) }
  return { ...none, ...facts, principal: facts.principal ? principalOf(facts.principal) : '' }
}

/** Returns the facts of an entry of an older version, such as "user:u2 viewer developer". */
function factsOfWords(action: AuditAction, words: readonly string[]): Partial<AccessFacts> {
  const [first = ''] = words
  const before = words.at(-2) ?? '-'
  const what = words.slice(0, -2).join(' ')
  switch (action) {
    case 'access.grant':
    case 'access.revoke':
      return { principal: what, before: grantedRole(before) }
    case 'group.join':
    case 'group.leave':
      return { groupId: first, principal: words.slice(1).join(' ') }
    case 'role.set':
    case 'role.delete':
      return { role: what, before: before === '-' ? undefined : { verbs: before.split(',') as Verb[] } }
    case 'stage.protect':
      return { before: { isProtected: before === 'true' } }
    case 'organization.update':
      return what === 'defaultRole' ? { before: { defaultRole: before as DefaultRole } } : {}
    default:
      return { trustId: first.replace('trust:', ''), before: grantedRole(words[2] ?? '-') }
  }
}

/** Returns a role such as "developer@1795910400000", whose number is the time of its end; undefined for "-". */
function grantedRole(text: string): State | undefined {
  if (text === '-') return undefined
  const [role, end] = text.split('@')
  return { role, ...(end !== undefined && { expiresAtMs: Number(end) }) }
}
