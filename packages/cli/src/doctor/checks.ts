/** What `rollkey doctor` looks at, from the ground up. Each check says what it found, or what to do. */
import type { Context } from '../frame/context.ts'
import { failureOf } from '../frame/failure.ts'

export interface Finding {
  readonly what: string
  readonly isGood: boolean
  readonly found: string
  /** A command that helps. */
  readonly command?: string
}

type Check = (context: Context) => Promise<Omit<Finding, 'what'>>

/** Tokens are renewed by this machine's clock, so far from the service's it would be too late. */
const mostClockSkewMs = 60_000
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
  const place = [org?.value ?? '(of the login)', project?.value, stage?.value].join('/')
  return { isGood: true, found: `${place} at ${url.value}` }
}

async function service({ settings: { url } }: Context): Promise<Omit<Finding, 'what'>> {
  const { ok, status } = await fetch(new URL('/readyz', url.value), { signal: AbortSignal.timeout(timeoutMs) })
  return ok
    ? { isGood: true, found: `${url.value} is ready` }
    : { isGood: false, found: `${url.value} answers ${status}, so it is not ready or not Rollkey` }
}

async function clock({ settings: { url } }: Context): Promise<Omit<Finding, 'what'>> {
  const { headers } = await fetch(new URL('/livez', url.value), { signal: AbortSignal.timeout(timeoutMs) })
  const skewMs = Math.abs(Date.now() - Date.parse(headers.get('date') ?? ''))
  if (Number.isNaN(skewMs)) return { isGood: true, found: 'the service tells no time' }
  const found = `${Math.round(skewMs / 1_000)} s from the clock of the service`
  return { isGood: skewMs <= mostClockSkewMs, found }
}

async function credentials(context: Context): Promise<Omit<Finding, 'what'>> {
  const { place } = await context.credentials()
  return { isGood: true, found: `logins are kept in ${place}` }
}

async function login(context: Context): Promise<Omit<Finding, 'what'>> {
  const { credential, orgSlug, idpUserId, serviceToken } = await (await context.service()).whoami()
  return { isGood: true, found: `${credential} of ${serviceToken?.name ?? idpUserId} in ${orgSlug}` }
}

async function stage(context: Context): Promise<Omit<Finding, 'what'>> {
  const { variables, revision } = await (await context.stage()).manifest()
  return { isGood: true, found: `${variables.length} variables at revision ${revision}` }
}

const checks: Record<string, Check> = { settings, service, clock, credentials, login, stage }

/** Every finding as it is made. Never throws. */
export async function* examine(context: Context): AsyncGenerator<Finding> {
  for (const [what, check] of Object.entries(checks)) {
    try {
      yield { what, ...(await check(context)) }
    } catch (error) {
      const { code, message, command } = failureOf(error)
      yield { what, isGood: false, found: `${code}: ${message}`, ...(command !== undefined && { command }) }
    }
  }
}
