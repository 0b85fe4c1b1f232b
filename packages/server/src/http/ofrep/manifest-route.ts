/** The manifest from which the OpenFeature command line generates code (github.com/open-feature/cli, api/v0/sync.yaml). */
import { endpoints, errors, type DeclaredType } from '@rollkey/contract'
import type { Stages } from '../../stages/stages.ts'
import type { StoredVariable } from '../../stages/stored-variable.ts'
import type { Dialect, DialectRoute } from '../dialect.ts'
import { unknownBytes } from '../limits/unread-answers.ts'
import { Reply, sendJson, sendPlainJson } from '../reply.ts'
import type { RequestContext } from '../request-context.ts'
import { stageRefOf } from '../stage-ref.ts'
import { allow } from '../steps/allow.ts'
import { assertMethod } from '../steps/assert-method.ts'
import { authenticate, byHeader } from '../steps/authenticate.ts'
import { assertScope } from '../steps/authorize.ts'
import { countRequest } from '../steps/count-request.ts'
import type { StepServices } from '../steps/index.ts'
import { preflight } from '../steps/preflight.ts'
import { belowStage, takePlace } from './place.ts'

/** The types of flags with the values that generated code falls back to: no value of the stage is in a manifest. */
const types: { readonly [Type in DeclaredType]?: { readonly type: string; readonly defaultValue: unknown } } = {
  boolean: { type: 'boolean', defaultValue: false },
  int64: { type: 'integer', defaultValue: 0 },
  float: { type: 'float', defaultValue: 0 },
  json: { type: 'object', defaultValue: {} },
}
const text = { type: 'string', defaultValue: '' }

function flagOf({ name, declaredType = 'string', attributes: { description } }: StoredVariable): object {
  return { key: name, ...(types[declaredType] ?? text), ...(description !== undefined && { description }) }
}

/** The manifest is that of the API in another form. */
const endpoint = endpoints.manifest

function manifest({ stages }: { readonly stages: Stages }) {
  return async (context: RequestContext<'manifest'>): Promise<Reply> => {
    const { variables } = await stages.find(stageRefOf(context, context.body), context.reads)
    return new Reply(200, ['x-manifest-capabilities', 'read'], { flags: [...variables.values()].map(flagOf) })
  }
}

const dialect: Dialect = {
  send: sendPlainJson,
  sendError(context, { code, message, headers }) {
    const { status } = errors[code]
    sendJson(context, status, Object.entries(headers).flat(), { error: { message, status } })
  },
}

export function flagManifestRoutes(parts: StepServices): DialectRoute[] {
  const { cors, authentication, access, rateLimits, unreadAnswers } = parts
  const identify = byHeader('x-api-key', endpoint.auth, authentication)
  const name = 'flagManifest'
  return [
    {
      path: belowStage('/openfeature/v0/manifest'),
      name,
      endpoint,
      identify,
      steps: [
        preflight(cors),
        assertMethod(endpoint),
        authenticate(identify, access, rateLimits),
        countRequest(name, endpoint, unknownBytes, rateLimits, unreadAnswers),
        takePlace,
        assertScope(endpoint),
        allow(endpoint, access, authentication),
        manifest(parts),
      ],
      dialect,
    },
  ]
}
