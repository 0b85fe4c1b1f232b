/** The formats of the audit stream (docs/audit.md). */
import type { AuditAction } from '@rollkey/contract'
import type { ChainedRow } from '../../storage/audit-chain.ts'
import { checkpointText, type Checkpoint } from '../checkpoint.ts'
import { entryLineOf } from '../export.ts'
import { checkpointEvent, ocsfEvents, ocsfVersion, type OcsfEvent } from './ocsf.ts'
import type { StreamMessage } from './receiver.ts'
import type { StreamFormat } from './stream-url.ts'

/** The organization of a log, the format, and the version of the service. */
export interface StreamContext {
  readonly orgId: string
  readonly organization: string
  readonly format: StreamFormat
  readonly version: string
}

/** `severity_id` of OCSF: informational and low; and that of CEF. */
const severities = { ocsf: [1, 2], cef: [3, 6] } as const
const statuses = ['Success', 'Failure'] as const
const checkpointType = 'audit.checkpoint'

/** What a message says, whatever its format. */
interface Content {
  readonly type: string
  readonly seq: number
  readonly atMs: number
  readonly event: OcsfEvent
  readonly actor: string | undefined
  readonly requestId: string | undefined
  /** What a receiver verifies, under the names of an export. */
  readonly record: Readonly<Record<string, unknown>>
}

/** Returns the message about an entry. `previousChain`: the link of the entry before it, empty for the first. */
export function entryMessage(context: StreamContext, row: ChainedRow, previousChain: string): StreamMessage {
  const { chain, ...entry } = entryLineOf(row)
  return messageOf(context, {
    type: row.action,
    seq: row.seq,
    atMs: row.at_ms,
    // Entries of a store have no other action, but this one may have been changed.
    event: ocsfEvents[row.action as AuditAction] ?? checkpointEvent,
    actor: row.actor === '' ? undefined : row.actor,
    requestId: row.request_id ?? undefined,
    record: { ...entry, ...(chain !== undefined && { previousChain, chain }) },
  })
}

/** Returns the message about a checkpoint. */
export function checkpointMessage(context: StreamContext, checkpoint: Checkpoint): StreamMessage {
  const { seq, atMs } = checkpoint
  const record = { checkpoint: checkpointText(checkpoint) }
  return messageOf(context, {
    type: checkpointType,
    seq,
    atMs,
    event: checkpointEvent,
    actor: undefined,
    requestId: undefined,
    record,
  })
}

function messageOf(context: StreamContext, content: Content): StreamMessage {
  const { orgId, organization, format } = context
  const { seq, atMs, type, event } = content
  const text = format === 'json' ? jsonOf(context, content) : cefOf(context, content)
  return { orgId, organization, seq, atMs, type, isFailure: event.isFailure, text }
}

function jsonOf({ orgId, organization, version }: StreamContext, content: Content): string {
  const { type, seq, atMs, actor, requestId, record } = content
  const { className, classUid, activityName, activityId, isFailure } = content.event
  return JSON.stringify({
    time: atMs,
    class_uid: classUid,
    class_name: className,
    category_uid: Math.floor(classUid / 1_000),
    activity_id: activityId,
    activity_name: activityName,
    type_uid: classUid * 100 + activityId,
    severity_id: severities.ocsf[Number(isFailure)],
    status_id: Number(isFailure) + 1,
    status: statuses[Number(isFailure)],
    metadata: {
      version: ocsfVersion,
      product: { name: 'Rollkey', vendor_name: 'Rollkey', version },
      uid: `${orgId}/${type === checkpointType ? 'checkpoint/' : ''}${seq}`,
      event_code: type,
      ...(requestId !== undefined && { correlation_uid: requestId }),
    },
    ...(actor !== undefined && { actor: { user: { uid: actor } } }),
    unmapped: { orgId, organization, ...record },
  })
}

/** Returns a message of the Common Event Format, version 0 of ArcSight. */
function cefOf({ orgId, organization, version }: StreamContext, content: Content): string {
  const { type, seq, atMs, actor, requestId, record } = content
  const { className, activityName, isFailure } = content.event
  const head = ['CEF:0', 'Rollkey', 'Rollkey', version, type, `${className}: ${activityName}`]
  const { client, projectSlug, stageSlug, names, revision, facts, chain, checkpoint } = record
  const place = [projectSlug, stageSlug].flatMap((part) => (typeof part === 'string' ? [part] : [])).join('/')
  const extension: Record<string, unknown> = {
    rt: atMs,
    externalId: seq,
    deviceExternalId: orgId,
    outcome: statuses[Number(isFailure)],
    suid: actor,
    requestClientApplication: client,
    ...custom('cs1', 'organization', organization),
    ...custom('cs2', 'place', place === '' ? undefined : place),
    ...custom('cs3', 'names', Array.isArray(names) ? names.join(' ') : undefined),
    ...custom('cs4', 'facts', facts === undefined ? undefined : JSON.stringify(facts)),
    ...custom('cs5', 'chain', chain ?? checkpoint),
    ...custom('cs6', 'requestId', requestId),
    ...custom('cn1', 'revision', revision),
  }
  const fields = Object.entries(extension).filter(([, value]) => value !== undefined)
  const severity = severities.cef[Number(isFailure)]
  return `${head.map(escapedHead).join('|')}|${severity}|${fields.map(([key, value]) => `${key}=${escapedField(String(value))}`).join(' ')}`
}

function custom(key: string, label: string, value: unknown): Record<string, unknown> {
  return value === undefined ? {} : { [`${key}Label`]: label, [key]: value }
}

function escapedHead(text: string): string {
  return oneLine(text).replaceAll(/[\\|]/g, String.raw`\$&`)
}

function escapedField(text: string): string {
  return oneLine(text.replaceAll(/[\\=]/g, String.raw`\$&`))
}

function oneLine(text: string): string {
  return text.replaceAll('\r', String.raw`\r`).replaceAll('\n', String.raw`\n`)
}
