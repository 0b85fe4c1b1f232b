import type { MachineRole, Place } from '@rollkey/contract'
import type { AccessEvent } from './access.ts'

type Action = 'trust.create' | 'trust.update' | 'trust.delete'

/** A trust before or after a change. */
interface TrustState {
  readonly role: MachineRole
  /** What it accepts and gives, as `name=value`. */
  readonly facts: readonly string[]
}

/**
 * Returns the audit event of a trust that changed: the fields, the roles, from which its role at an earlier time follows, and what it
 * no longer says (`-name=value`) and says now (`+name=value`), then its name without a sign, if it keeps that. A state is undefined where
 * there was, or is, no trust.
 */
export function trustEvent(
  action: Action,
  { id, projectSlug, stageSlug }: Place & { readonly id: string },
  what: string,
  before: TrustState | undefined,
  after: TrustState | undefined,
): AccessEvent {
  const [former, current] = [before?.facts ?? [], after?.facts ?? []]
  const removed = former.filter((fact) => !current.includes(fact)).map((fact) => `-${word(fact)}`)
  const added = current.filter((fact) => !former.includes(fact)).map((fact) => `+${word(fact)}`)
  const kept = former.filter((fact) => fact.startsWith('name=') && current.includes(fact)).map(word)
  const roles = [before?.role ?? '-', after?.role ?? '-']
  return {
    action,
    ...(projectSlug !== undefined && { projectSlug }),
    ...(stageSlug !== undefined && { stageSlug }),
    subject: [`trust:${id}`, what, ...roles, ...removed, ...added, ...kept].join(' '),
  }
}

/** Returns a fact without spaces and control characters, or as a JSON text. */
function word(fact: string): string {
  return /^[!#-~]+$/.test(fact) ? fact : JSON.stringify(fact)
}
