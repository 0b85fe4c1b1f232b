/** The token endpoint, and the metadata by which clients find it (RFC 8414). */
import { limits, type Endpoint } from '@rollkey/contract'
import type { TokenExchange } from '../../trusts/exchange.ts'
import type { DialectRoute } from '../dialect.ts'
import { Reply } from '../reply.ts'
import { assertMethod } from '../steps/assert-method.ts'
import { countRequest } from '../steps/count-request.ts'
import type { StepServices } from '../steps/index.ts'
import { preflight } from '../steps/preflight.ts'
import { readBody } from '../steps/read-body.ts'
import type { Step } from '../steps/step.ts'
import { oauthDialect } from './oauth-dialect.ts'
import { accessTokenType, formOf, tokenExchangeGrant, tokenRequestOf } from './token-request.ts'

interface Parts extends StepServices {
  readonly tokenExchange: TokenExchange
  readonly publicUrl: string
}

const anyone = { auth: 'none', verb: 'none', errors: [] } as const
const tokenEndpoint = { ...anyone, method: 'POST' } as const satisfies Partial<Endpoint>
const metadataEndpoint = { ...anyone, method: 'GET' } as const satisfies Partial<Endpoint>

/** Takes the form from the body. */
function readForm({ pendingBodies }: Parts): Step {
  return (context) => {
    const { request, response } = context
    context.input ??= readBody(request, limits.exchangeBodyBytes, pendingBodies.bodyOf(request, response)).then(
      (bytes) => formOf(bytes, request.headers['content-type']),
    )
  }
}

function exchange({ tokenExchange }: Parts): Step {
  return async ({ input, requestId }) => {
    const { subjectToken, audience } = tokenRequestOf((await input) as URLSearchParams)
    const { accessToken, lifetimeSec } = await tokenExchange.exchange(subjectToken, audience, requestId)
    return {
      access_token: accessToken,
      issued_token_type: accessTokenType,
      token_type: 'Bearer',
      expires_in: lifetimeSec,
    }
  }
}

function metadata({ publicUrl }: Parts): Step {
  const body = {
    issuer: publicUrl,
    token_endpoint: `${publicUrl}/oauth/token`,
    response_types_supported: [],
    grant_types_supported: [tokenExchangeGrant],
    token_endpoint_auth_methods_supported: ['none'],
  }
  const reply = new Reply(200, ['cache-control', 'public, max-age=300'], body)
  return () => reply
}

export function oauthRoutes(parts: Parts): DialectRoute[] {
  const { cors, rateLimits, unreadAnswers } = parts
  const before = (name: string, endpoint: typeof tokenEndpoint | typeof metadataEndpoint): Step[] => [
    preflight(cors),
    assertMethod(endpoint),
    countRequest(name, endpoint, 0, rateLimits, unreadAnswers),
  ]
  return [
    {
      path: '/oauth/token',
      name: 'tokenExchange',
      endpoint: tokenEndpoint,
      steps: [...before('tokenExchange', tokenEndpoint), readForm(parts), exchange(parts)],
      dialect: oauthDialect,
    },
    {
      path: '/.well-known/oauth-authorization-server',
      name: 'oauthMetadata',
      endpoint: metadataEndpoint,
      steps: [...before('oauthMetadata', metadataEndpoint), metadata(parts)],
      dialect: oauthDialect,
    },
  ]
}
