/** Writes by the KV version 2 API: one variable, or some of a stage. They are direct writes like those of the API. */
import { endpoints, type Request } from '@rollkey/contract'
import { ApiError } from '../../base/api-error.ts'
import type { Versions } from '../../evaluation/versions.ts'
import { changeOfEntries } from '../../variables/changes/entries.ts'
import type { Change } from '../../variables/changes/change.ts'
import type { VariableWriter } from '../../variables/write.ts'
import type { DialectRoute } from '../dialect.ts'
import type { RequestContext } from '../request-context.ts'
import { stageRefOf } from '../stage-ref.ts'
import { allow } from '../steps/allow.ts'
import { assertScope } from '../steps/authorize.ts'
import { confirmReads } from '../steps/confirm-reads.ts'
import { countNames } from '../steps/count-request.ts'
import { assertDirectWrite, expectStage } from '../steps/direct-write.ts'
import { readJson } from '../steps/read-body.ts'
import type { Step } from '../steps/step.ts'
import { validate } from '../steps/validate.ts'
import { answerOf, metadataOf } from './answer.ts'
import { byVaultToken, identified, nameIn, placeIn, root, slug, type VaultParts } from './steps.ts'
import { vaultDialect } from './vault-dialect.ts'

export interface VaultWriteParts extends VaultParts {
  readonly versions: Versions
  readonly writer: VariableWriter
}

type WriteBody = Request<'write'> & { readonly cas?: number | undefined }

const endpoint = endpoints.write

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the version that the stored one must have; undefined: any. Throws INVALID_REQUEST. */
function casOf(options: unknown): number | undefined {
  const cas = isObject(options) ? (options['cas'] ?? undefined) : undefined
  if (cas === undefined || (Number.isSafeInteger(cas) && Number(cas) >= 0)) return cas as number | undefined
  throw new ApiError('INVALID_REQUEST', 'options.cas is not a whole number: send the version that you have read.')
}

/** Returns the keys of a body. Throws INVALID_REQUEST. */
function dataOf(body: unknown): Readonly<Record<string, unknown>> {
  const data = isObject(body) ? body['data'] : undefined
  if (isObject(data)) return data
  throw new ApiError('INVALID_REQUEST', 'no data provided: send {"data":{…}}.')
}

/** Returns the value of a variable. Throws INVALID_REQUEST. */
function valueOf(body: unknown): unknown {
  const { value, ...others } = dataOf(body)
  if (value !== undefined && Object.keys(others).length === 0) return value
  throw new ApiError('INVALID_REQUEST', 'A variable has one value: send {"data":{"value":"…"}}.')
}

/** Returns a body as a write of the API: null deletes a variable, as in any merge patch (RFC 7396). Throws INVALID_REQUEST. */
function writeOf(body: unknown, name: string | undefined): object {
  const states = name === undefined ? dataOf(body) : undefined
  const value = name === undefined ? undefined : valueOf(body)
  const cas = casOf((body as { options?: unknown }).options)
  if (!states) return { mode: 'upsert', entries: [{ name, kind: 'secret', value }], cas }
  const [deleted, stated] = [true, false].map((isNull) =>
    Object.keys(states).filter((key) => (states[key] === null) === isNull),
  ) as [string[], string[]]
  const entries = stated.map((key) => ({ name: key, kind: 'secret', value: states[key] }))
  return { mode: 'upsert', entries, deletes: deleted, ifRevision: cas }
}

function readWrite(parts: VaultWriteParts): Step {
  const read = readJson(endpoint.bodyBytes, parts.pendingBodies)
  return (context) => {
    if (context.input) return
    void read(context)
    const input = context.input as Promise<unknown> | undefined
    context.input = input?.then((body) => ({ ...writeOf(body, nameIn(context)), ...placeIn(context, parts) }))
  }
}

/** Keeps the version that the schema of a write does not have. */
const takeCas: Step = async (context) => {
  const { cas } = (await context.input) as WriteBody
  context.body = { ...(context.body as WriteBody), cas } as never
}

/** Returns a change that is made only if the variable has this version; 0: if it does not exist. */
function ifVersion(change: Change, { name, cas, versions }: { name: string; cas: number; versions: Versions }): Change {
  return {
    ...change,
    async decide(stage) {
      const variable = stage?.variables.get(name)
      const version = stage && variable ? await versions.of(stage, variable) : 0
      if (version !== cas) throw new ApiError('REVISION_CONFLICT')
      return change.decide(stage)
    },
    // A group could contain an earlier write of the variable, whose version is not stored yet.
    within: () => Promise.resolve([]),
  }
}

/** Returns a change that is made only if the stage exists. */
function ifStageExists(change: Change): Change {
  return {
    ...change,
    decide(stage) {
      if (!stage) throw new ApiError('VARIABLE_NOT_FOUND')
      return change.decide(stage)
    },
  }
}

function write({ writer, versions, clock }: VaultWriteParts) {
  return async (context: Omit<RequestContext<'write'>, 'body'> & { readonly body: WriteBody }): Promise<object> => {
    const { body, actor, reads, requestId } = context
    const { cas } = body
    const name = nameIn(context)
    const stated = changeOfEntries(body)
    const ofOne = (one: string): Change =>
      cas === undefined ? stated : ifVersion(stated, { name: one, cas, versions })
    const change = name === undefined ? ifStageExists(stated) : ofOne(name)
    const { revision } = await writer.write(stageRefOf(context, body), actor, change, reads.arrivedAt)
    return answerOf(requestId, { data: metadataOf(revision, clock.now()) })
  }
}

export function vaultWriteRoutes(parts: VaultWriteParts): DialectRoute[] {
  const { access, authentication, rateLimits, clock, stages, validator } = parts
  const identify = byVaultToken(parts)
  const route = (methods: readonly string[], name: string): DialectRoute => ({
    path: new RegExp(`${root}(?<mount>${slug})/data/(?<stageSlug>${slug})${name}$`),
    methods,
    name: 'vaultWrite',
    endpoint,
    identify,
    steps: [
      ...identified('vaultWrite', identify, parts, endpoint, 0),
      readWrite(parts),
      validate(endpoint),
      takeCas,
      countNames(rateLimits),
      assertScope(endpoint),
      allow(endpoint, access, authentication),
      assertDirectWrite(clock),
      expectStage(stages),
      confirmReads(validator),
      write(parts) as Step,
    ],
    dialect: vaultDialect,
  })
  return [route(['POST', 'PUT'], '/(?<name>.+)'), route(['PATCH'], '/?')]
}
