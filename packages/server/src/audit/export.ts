/** The export format of an audit log: JSON Lines with everything needed to verify it (docs/audit.md). */
import { z } from 'zod'
import { headOf, entriesBetween, type ChainedRow } from '../storage/audit-chain.ts'
import { joinNames, textOfFacts } from '../storage/audit-content.ts'
import type { AuditRow } from '../storage/audit.ts'
import type { OrganizationRow } from '../storage/organizations.ts'
import type { Reader } from '../storage/sql.ts'
import { entryOf } from './audit-log.ts'
import { parseCheckpoint, checkpointText } from './checkpoint.ts'
import { recordsBetween, storedCheckpoints, type AuditRecord } from './records.ts'

const number = z.number().int()

/** The first line of an export. */
export const headLine = z.strictObject({
  format: z.literal('rollkey audit log 1'),
  orgId: z.string(),
  organization: z.string(),
  chainedFrom: number,
  /** The entry before the first exported one. */
  before: z.strictObject({ seq: number, chain: z.string() }),
})

const entryLine = z.strictObject({
  seq: number,
  atMs: number,
  action: z.string(),
  actor: z.string().default(''),
  how: z.string().default(''),
  client: z.string().default(''),
  projectSlug: z.string().optional(),
  stageSlug: z.string().optional(),
  names: z.array(z.string()).optional(),
  nameCount: number.optional(),
  revision: number.optional(),
  facts: z.record(z.string(), z.unknown()).optional(),
  subject: z.string().optional(),
  requestId: z.string().optional(),
  salt: z.string().optional(),
  contentDigest: z.string().optional(),
  chain: z.string().optional(),
})
const checkpointLine = z.strictObject({ checkpoint: z.string() })
const recordLine = z.union([entryLine, checkpointLine])

/** Yields the lines from entry `from` up to the last checkpoint. */
export async function* exportedLines(
  sql: Reader,
  { id: orgId, slug: organization }: OrganizationRow,
  from: number,
): AsyncGenerator<string> {
  const checkpoints = await storedCheckpoints(sql, orgId)
  const { chained_from: chainedFrom = 0 } = (await headOf(sql, orgId)) ?? {}
  const [last] = await entriesBetween(sql, orgId, from - 2, from - 1, 1)
  const before = { seq: from - 1, chain: last?.chain ?? '' }
  const head: z.input<typeof headLine> = { format: 'rollkey audit log 1', orgId, organization, chainedFrom, before }
  yield jsonLine(head)
  const upTo = Math.max(chainedFrom, checkpoints.at(-1)?.seq ?? 0)
  for await (const record of recordsBetween(sql, orgId, { after: from - 1, upTo, checkpoints })) {
    if ('checkpoint' in record) yield jsonLine({ checkpoint: checkpointText(record.checkpoint) })
    else yield jsonLine(entryLineOf(record.entry))
  }
}

function jsonLine(value: object): string {
  return `${JSON.stringify(value)}\n`
}

/** Returns the line of an entry. */
export function entryLineOf(row: ChainedRow): z.input<typeof entryLine> {
  return {
    ...entryOf(row as ChainedRow & AuditRow),
    ...(row.salt !== null && { salt: row.salt }),
    ...(row.content_digest !== null && { contentDigest: row.content_digest }),
    ...(row.chain !== null && { chain: row.chain }),
  }
}

const streamedLine = z.object({
  unmapped: z.union([
    entryLine.extend({ orgId: z.string(), organization: z.string(), previousChain: z.string().optional() }),
    checkpointLine.extend({ orgId: z.string(), organization: z.string() }),
  ]),
})

/** A line of the audit stream. */
export interface StreamedRecord {
  readonly orgId: string
  readonly organization: string
  /** The link of the entry before it; empty for the first. */
  readonly previousChain: string
  readonly record: AuditRecord
}

/** Parses a line of the audit stream, from its JSON on: a syslog server may write something before it. Throws if it is invalid. */
export function parseStreamed(line: string): StreamedRecord {
  const { orgId, organization, ...unmapped } = streamedLine.parse(JSON.parse(line.slice(line.indexOf('{')))).unmapped
  if ('checkpoint' in unmapped) return { orgId, organization, previousChain: '', record: parseRecord(orgId, unmapped) }
  const { previousChain = '', ...entry } = unmapped
  return { orgId, organization, previousChain, record: { entry: rowOf(entry) } }
}

/** Parses any line but the first. Throws if it is invalid. */
export function parseRecord(orgId: string, line: unknown): AuditRecord {
  const parsed = recordLine.parse(line)
  if (!('checkpoint' in parsed)) return { entry: rowOf(parsed) }
  const bare = parseCheckpoint(parsed.checkpoint)
  if (!bare) throw new Error('invalid checkpoint')
  return { checkpoint: { orgId, ...bare } }
}

function rowOf(line: z.output<typeof entryLine>): ChainedRow {
  return {
    seq: line.seq,
    at_ms: line.atMs,
    action: line.action,
    content_digest: line.contentDigest ?? null,
    chain: line.chain ?? null,
    salt: line.salt ?? null,
    actor: line.actor,
    how: line.how as ChainedRow['how'],
    client: line.client,
    project_slug: line.projectSlug ?? null,
    stage_slug: line.stageSlug ?? null,
    names: line.names ? joinNames(line.names) : null,
    name_count: line.nameCount ?? null,
    revision: line.revision ?? null,
    subject: line.subject ?? textOfFacts(line.facts),
    request_id: line.requestId ?? null,
  }
}
