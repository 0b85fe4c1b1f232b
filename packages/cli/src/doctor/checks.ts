/** The checks of `rollkey doctor`, each of which builds on the ones before. A check reports its finding or what to do. */
import { RollkeyError, type Fetch } from '@rollkey/sdk'
import { unreachable } from '@rollkey/sdk/node'
import type { Context } from '../frame/context.ts'
import { credentialSource, personText } from '../frame/credential.ts'
import { failureOf } from '../frame/cli-error.ts'
import { proxyFor } from '../frame/proxy.ts'
import { countText } from '../frame/words.ts'

export interface Finding {
  readonly what: string
  readonly isGood: boolean
  readonly found: string
  /** A command that helps. */
  readonly command?: string
}

type Check = (context: Context) => Promise<Omit<Finding, 'what'>>

/** Maximum clock skew, in milliseconds. Tokens are renewed by this machine's clock, so a larger skew renews them too late. */
const maxClockSkewMs = 60_000
const timeoutMs = 5_000

async function settings({ settings: { url, org, project, stage } }: Context): Promise<Omit<Finding, 'what'>> {
  const missing = Object.entries({ project, stage }).filter(([, setting]) => setting === undefined)
  if (missing.length > 0) {
    return {
      isGood: false,
      found: `no ${missing.map(([name]) => name).join(' and no ')} is set`,
      command: 'rollkey init',
    }
  }
  const place = [org?.value ?? '(organization of the login)', project?.value, stage?.value].join('/')
  return { isGood: true, found: `${place} at ${url.value}` }
}

async function service({ settings: { url }, env, fetch }: Context): Promise<Omit<Finding, 'what'>> {
  const proxy = proxyFor(new URL(url.value), env)
  const found = await serviceAt(url.value, fetch)
  return proxy ? { ...found, found: `${found.found}, through the proxy ${proxy.origin} of ${proxy.variable}` } : found
}

async function serviceAt(url: string, fetch: Fetch): Promise<Omit<Finding, 'what'>> {
  const signal = AbortSignal.timeout(timeoutMs)
  const init = { method: 'GET', headers: {}, body: null, redirect: 'manual', signal } as const
  const answer = await fetch(new URL('/readyz', url).href, init).catch((error: unknown) => {
    throw error instanceof RollkeyError ? error : unreachable(url, error)
  })
  if (answer.status !== 200)
    return { isGood: false, found: `${url} returned ${answer.status}: it is not ready, or not a Rollkey service` }
  if ((await answer.text()) !== 'ready\n') return { isGood: false, found: `${url} is not a Rollkey service` }
  const aheadMs = Date.now() - Date.parse(answer.headers.get('date') ?? '')
  if (Math.abs(aheadMs) <= maxClockSkewMs) return { isGood: true, found: `${url} is ready` }
  const found = `this machine's clock is ${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs > 0 ? 'ahead' : 'behind'}`
  return { isGood: false, found }
}

async function credential(context: Context): Promise<Omit<Finding, 'what'>> {
  return { isGood: true, found: await credentialSource(context) }
}

async function login(context: Context): Promise<Omit<Finding, 'what'>> {
  const answer = await (await context.service()).whoami()
  const { orgSlug, role, serviceToken } = answer
  const who = serviceToken ? `service token ${serviceToken.name}` : `${personText(answer)} (${role})`
  return { isGood: true, found: `${who} in ${orgSlug}` }
}

async function variables(context: Context): Promise<Omit<Finding, 'what'>> {
  const manifest = await (await context.stage()).manifest()
  return { isGood: true, found: `${countText(manifest.variables.length)} at revision ${manifest.revision}` }
}

const checks: Record<string, Check> = { settings, service, credential, login, stage: variables }

/** Yields each finding as it is made. Never throws. */
export async function* examine(context: Context): AsyncGenerator<Finding> {
  for (const [what, check] of Object.entries(checks)) {
    try {
      yield { what, ...(await check(context)) }
    } catch (error) {
      const { code, what: found, command } = failureOf(error, 'rollkey config', context.env)
      const isHelpful = command !== undefined && command !== 'rollkey doctor'
      yield { what, isGood: false, found: `${code}: ${found}`, ...(isHelpful && { command }) }
      // Without settings, the other checks would find the same.
      if (what === 'settings') return
    }
  }
}
