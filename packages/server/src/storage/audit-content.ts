/**
 * The content of an audit entry, which is deleted after its retention period, and the digests that make its link of the
 * chain (docs/decisions/0020-audit-chain.md).
 */
import type { Actor } from './actor.ts'
import { digestOf } from './chain.ts'

/** The content columns of a row. After deletion, texts are empty or null and all other columns are null. */
export interface AuditContent {
  /** A random salt of the digest. Also null in entries from before the chain. */
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
  /** The facts as JSON. In entries of older versions a text of another form. */
  readonly subject: string | null
  readonly request_id: string | null
}

/** Returns the values in the order in which the digest covers them. */
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

/** Returns the digest that the chain links. It needs no content, and the number is the entry's position in the chain. */
export function entryDigestOf(orgId: string, atMs: number, action: string, contentDigest: string): string {
  return digestOf([orgId, atMs, action, contentDigest])
}

/** Returns the stored text of facts; null if there are none. */
export function textOfFacts(facts: object = {}): string | null {
  const text = JSON.stringify(facts)
  return text === '{}' ? null : text
}

/** Returns the facts of a stored text; undefined for a text of an older version, none of which is a JSON object. */
export function factsOfText(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    // What a stage requires of changes was two objects, one after the other.
    return undefined
  }
}

/** Joins names, each on its own line. No name has a line feed, so the text contains a name exactly if it contains its line. */
export function joinNames(names: readonly string[]): string {
  return `\n${names.join('\n')}\n`
}

/** Returns the names of a text that `linesOf` made. */
export function splitNames(lines: string): string[] {
  return lines.slice(1, -1).split('\n')
}
