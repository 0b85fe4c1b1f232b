/** The members that every answer of Vault with data has. */
import { JsonText, Reply, type Headers } from '../reply.ts'

/** Some clients read JSON only from an answer of exactly this type. */
export const vaultType: Headers = ['content-type', 'application/json']

interface Content {
  readonly data?: object
  readonly auth?: object
  /** Sentences for people. */
  readonly warnings?: readonly string[]
}

/** Returns an answer. `repeated`: members that an answer has beside its data. */
export function answerOf(requestId: string, { data, auth, warnings }: Content, repeated: object = {}): Reply {
  const body = { ...repeated, ...head(requestId), data: data ?? null, ...tail(warnings), auth: auth ?? null }
  return new Reply(200, vaultType, body)
}

/** Returns an answer with the values of a stage, of which `members` is the JSON text without its braces. */
export function answerWithValues(
  requestId: string,
  { members, metadata, warnings }: { members: readonly Buffer[]; metadata: object; warnings: readonly string[] },
  onSent: () => void,
): JsonText {
  const before = `${JSON.stringify(head(requestId)).slice(0, -1)},"data":{"data":{`
  const after = JSON.stringify({ ...tail(warnings), auth: null }).slice(1, -1)
  return new JsonText(before, members, `},"metadata":${JSON.stringify(metadata)}},${after}`, vaultType, onSent)
}

function head(requestId: string): object {
  return { request_id: requestId, lease_id: '', renewable: false, lease_duration: 0 }
}

function tail(warnings: readonly string[] = []): object {
  return { wrap_info: null, warnings: warnings.length === 0 ? null : warnings }
}

/** Returns what Vault tells about a version of a secret. */
export function metadataOf(version: number, createdAtMs: number): object {
  return {
    created_time: new Date(createdAtMs).toISOString(),
    custom_metadata: null,
    deletion_time: '',
    destroyed: false,
    version,
  }
}
