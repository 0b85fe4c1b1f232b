/** Chooses the receiver of the audit stream, and makes the store wait for it if the operator requires that. */
import os from 'node:os'
import { AuditStream } from '../audit/stream/audit-stream.ts'
import { FileReceiver } from '../audit/stream/file-receiver.ts'
import { HttpReceiver } from '../audit/stream/http-receiver.ts'
import type { StreamReceiver } from '../audit/stream/receiver.ts'
import { streamTarget } from '../audit/stream/stream-url.ts'
import { SyslogReceiver } from '../audit/stream/syslog-receiver.ts'
import { shippedVersion } from '../base/shipped-files.ts'
import { withAuditGate } from '../storage/audit-gate.ts'
import type { Platform } from './platform.ts'

function receiverOf({ config, clock, publicUrl }: Platform): StreamReceiver | undefined {
  const { AUDIT_STREAM: url, AUDIT_STREAM_FORMAT: format, AUDIT_STREAM_TOKEN: token, PUBLIC_URL } = config
  const target = url === undefined ? undefined : streamTarget(url)
  if (!target) return undefined
  if (target.kind === 'file') return new FileReceiver({ path: target.path, clock })
  if (target.kind === 'http') return new HttpReceiver({ target, token, format })
  const hostname = PUBLIC_URL === undefined ? os.hostname() : new URL(publicUrl).hostname
  return new SyslogReceiver({ ...target, hostname, version: shippedVersion() })
}

/** Returns the audit stream; undefined if none is set. */
export function auditStreamOf(platform: Platform): AuditStream | undefined {
  const receiver = receiverOf(platform)
  if (!receiver) return undefined
  const { config, store, clock, log } = platform
  const version = shippedVersion()
  const format = config.AUDIT_STREAM_FORMAT
  return new AuditStream({ sql: store.sql, receiver, format, version, clock, log, random: Math.random })
}

/** Returns the platform of the services, whose store refuses what the audit log records while the stream is required and too late. */
export function requiringStream(platform: Platform, stream: AuditStream | undefined): Platform {
  const { config, store } = platform
  if (!stream || config.AUDIT_STREAM_REQUIRED === 'no') return platform
  const sql = withAuditGate(store.sql, stream.gate(config.AUDIT_STREAM_MAX_SECONDS * 1_000))
  return { ...platform, store: { ...store, sql } }
}
