/** The checks of companies' providers: whether each answers as its settings say, and what to register there. */
import { createLog } from '../base/log.ts'
import type { Config } from '../config.ts'
import type { ClientRefusal, CompanyClient } from '../identity/company/client.ts'
import { isEntra } from '../identity/company/issuers.ts'
import type { CompanyProvider } from '../identity/company/settings.ts'
import { organizationsNamed } from '../storage/organizations.ts'
import { boundedFetch } from '../upstream/bounded-body.ts'
import { fail, ok, warn, type Check, type CheckInput, type Checks, type Finding } from './finding.ts'

const timeoutMs = 5_000
const maxBytes = 256 * 1024
const skewedMs = 2_000
/** Tokens are accepted with this difference. */
const leewayMs = 30_000

interface Metadata {
  readonly issuer: unknown
  /** How far the provider's clock is from that of this machine, either way. */
  readonly skewMs: number
}

/** Returns the metadata that the provider publishes, or why there is none. */
async function metadataOf({ issuer }: CompanyProvider, nowMs: number): Promise<Metadata | string> {
  try {
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
    const request: RequestInit = { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) }
    const response = await boundedFetch(maxBytes)(url, request)
    if (response.status !== 200) return `status ${response.status}`
    const { issuer: published } = (await response.json()) as { issuer?: unknown }
    const dateMs = Date.parse(response.headers.get('date') ?? '')
    return { issuer: published, skewMs: Number.isNaN(dateMs) ? 0 : Math.abs(dateMs - nowMs) }
  } catch (error) {
    const { cause, name } = error as { cause?: { code?: string }; name: string }
    return cause?.code ?? (name === 'SyntaxError' ? 'not JSON' : name)
  }
}

/** What is wrong if the provider refuses the client, and what to do. */
const refusals: Readonly<Record<ClientRefusal, readonly [found: string, todo: string]>> = {
  unavailable: ['its token endpoint does not answer', 'Check the network: the service must reach it.'],
  client: [
    'it refuses the client id or the secret',
    'Compare _CLIENT_ID and _CLIENT_SECRET with the provider; secrets expire.',
  ],
  redirect: ['it does not know the redirect URL', 'Register the redirect URL there, exactly as it is here.'],
}

async function answerFinding(client: CompanyClient, { clock }: CheckInput): Promise<Finding | undefined> {
  const { provider } = client
  const { issuer } = provider
  const setting = `ROLLKEY_SIGN_IN_${provider.name.toUpperCase()}_ISSUER`
  const metadata = await metadataOf(provider, clock.now())
  if (typeof metadata === 'string') {
    const todo = `Check ${setting} (the issuer, without /.well-known/openid-configuration) and the network.`
    return fail(`${issuer} publishes no metadata (${metadata})`, todo)
  }
  if (!(await client.isReachable())) {
    const published = typeof metadata.issuer === 'string' ? metadata.issuer : 'none'
    return fail(`the provider calls its issuer ${published}`, `Set ${setting} to exactly that.`)
  }
  const refusal = await client.refusal()
  if (refusal) return fail(...refusals[refusal])
  const apart = `its clock is ${Math.round(metadata.skewMs / 1_000)} s apart`
  const todo = 'Synchronize the clock of this machine with NTP: otherwise its tokens are refused.'
  if (metadata.skewMs > leewayMs) return fail(apart, todo)
  return metadata.skewMs > skewedMs ? warn(apart, todo) : undefined
}

/** Returns the finding about the organization that people join by themselves. */
async function joinFinding(provider: CompanyProvider, { sql }: CheckInput): Promise<Finding | undefined> {
  const { name, issuer, join, domains } = provider
  if (join && domains.length > 0 && isEntra(issuer)) {
    const setting = `ROLLKEY_SIGN_IN_${name.toUpperCase()}_DOMAINS`
    return warn(
      'no one joins: Entra does not say whether an address is verified',
      `Unset ${setting}, and set _TENANTS.`,
    )
  }
  if (!join || !sql || (await organizationsNamed(sql, join.organization)).length > 0) return undefined
  return warn(
    `people join ${join.organization}, but there is no such organization`,
    `Create it, or correct ROLLKEY_SIGN_IN_${name.toUpperCase()}_JOIN.`,
  )
}

function companyCheck(provider: CompanyProvider): Check {
  return async (input) => {
    const { publicUrl, clock } = input
    // Imported only where it is used: other commands start faster without its library.
    const { CompanyClient: Client } = await import('../identity/company/client.ts')
    const client = new Client({ provider, publicUrl, clock, log: createLog('silent') })
    const finding = (await answerFinding(client, input)) ?? (await joinFinding(provider, input))
    const { result, found, todo } = finding ?? ok(`${provider.issuer} answers and accepts the client`)
    // Printed in any case, because the provider refuses everything until it is registered.
    return { result, found: `${found}; redirect URL ${client.redirectUri}`, ...(todo !== undefined && { todo }) }
  }
}

/** Returns the checks of the companies' providers. */
export function companyChecks({ COMPANIES }: Config): Checks {
  return Object.fromEntries(COMPANIES.map((provider) => [`sign-in at ${provider.name}`, companyCheck(provider)]))
}
