/** What of an audit entry is deleted after some time, and what its link of the chain is made of (decision 20). */
import type { Actor } from '../base/actor.ts'
import { digestOf } from '../base/chain.ts'

/** As a row has it. Once deleted, texts are empty or null and all else is null. */
export interface AuditContent {
  /** Null also in entries from before the chain. */
  readonly salt: string | null
  readonly actor: string
  /** `rules` in older entries: it is part of their digest, and shown as `system`. */
  readonly how: Actor['how'] | 'rules' | ''
  readonly client: string
  readonly project_slug: string | null
  readonly stage_slug: string | null
  readonly names: string | null
  readonly name_count: number | null
  readonly revision: number | null
  readonly subject: string | null
  readonly request_id: string | null
}

/** In the order that the digest is made of. */
export function valuesOf(content: AuditContent) {
  const { salt, actor, how, client, project_slug, stage_slug, names, name_count, revision, subject, request_id } =
    content
  return [salt, actor, how, client, project_slug, stage_slug, names, name_count, revision, subject, request_id] as const
}

export function isDeleted(content: AuditContent): boolean {
  return valuesOf(content).every((value) => value === null || value === '')
}

export function contentDigestOf(content: AuditContent): string {
  return digestOf(valuesOf(content))
}

/** What the chain links; it needs no content, and the number is its place in the chain. */
export function entryDigestOf(orgId: string, atMs: number, action: string, contentDigest: string): string {
  return digestOf([orgId, atMs, action, contentDigest])
}

/** No name has a line feed, so a name is in the text exactly if its line is. */
export function linesOf(names: readonly string[]): string {
  return `\n${names.join('\n')}\n`
}

/** The inverse of what a row's `names` is made of. */
export function namesOf(lines: string): string[] {
  return lines.slice(1, -1).split('\n')
}
