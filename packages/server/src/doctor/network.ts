/** The checks of the network: how clients reach the service, and which services it must reach. */
import { randomUUID } from 'node:crypto'
import { streamName, streamTarget } from '../audit/stream/stream-url.ts'
import { externalKeys } from '../auth/jwks.ts'
import { countText } from '../base/count-text.ts'
import { operatorProgram } from '../base/shipped-files.ts'
import { layOut } from '../notifications/mail/layout.ts'
import { Smtp } from '../notifications/mail/smtp.ts'
import { smtpServerOf } from '../notifications/mail/smtp-url.ts'
import { undelivered, waitsSinceMs } from '../storage/audit-stream.ts'
import { fail, ok, warn, type Checks } from './finding.ts'

const timeoutMs = 5_000
const mailTimeoutMs = 10_000
const leewayMs = 10_000
const skewedMs = 2_000
/** A range of an eighth of all addresses or more cannot be only proxies. */
const tooWide = /\/[0-3]$/
const thisMachine = /^(127\.|localhost$|\[?::1\]?$)/

/** Returns the status and the clock of the server that answers, or why none does. */
async function answerOf(url: string): Promise<{ status: number; dateMs: number } | string> {
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) })
    await response.body?.cancel()
    return { status: response.status, dateMs: Date.parse(response.headers.get('date') ?? '') }
  } catch (error) {
    const { cause, name } = error as { cause?: { code?: string }; name: string }
    return cause?.code ?? name
  }
}

function testMail(publicUrl: string, to: string) {
  const id = `doctor-${randomUUID()}@${new URL(publicUrl).hostname}`
  const letter = { subject: 'Test', lines: ['This is a test of rollkey-server doctor.'] }
  return { id, to, ...layOut({ ...letter, link: { label: 'Open Rollkey', url: publicUrl } }, `Sent by ${publicUrl}`) }
}

export const networkChecks: Checks = {
  'public address': async ({ config: { PUBLIC_URL, HOST } }) => {
    if (PUBLIC_URL === undefined) {
      if (thisMachine.test(HOST)) return ok('not set: only people on this machine can use the service')
      return fail('not set: links and tokens use http', 'Set ROLLKEY_PUBLIC_URL to the https address of the proxy.')
    }
    const { protocol, hostname } = new URL(PUBLIC_URL)
    if (protocol !== 'https:' && !thisMachine.test(hostname)) {
      return fail(
        `${PUBLIC_URL} is not https: passwords and values cross the network in plaintext`,
        'Put a TLS proxy in front of the service, and set its https address.',
      )
    }
    const answer = await answerOf(`${PUBLIC_URL}/livez`)
    if (typeof answer === 'object' && answer.status === 200) return ok(`${PUBLIC_URL} reaches a Rollkey server`)
    const why = typeof answer === 'string' ? answer : `status ${answer.status}`
    return warn(
      `${PUBLIC_URL}/livez does not answer from here (${why})`,
      'Start the service, or check DNS, the certificate and the proxy.',
    )
  },
  'listening address': ({ config: { HOST, PORT } }) => {
    if (thisMachine.test(HOST)) return ok(`${HOST}:${PORT}, only from this machine`)
    return warn(
      `${HOST}:${PORT} serves plain HTTP to other machines`,
      'Allow only the proxy through the firewall, or listen on 127.0.0.1.',
    )
  },
  'trusted proxies': ({ config: { TRUSTED_PROXIES } }) => {
    const all = TRUSTED_PROXIES.filter((range) => tooWide.test(range))
    if (all.length === 0) return ok(TRUSTED_PROXIES.join(', ') || 'none')
    return fail(
      `${all.join(', ')}: any client there can forge its address`,
      'List only the addresses of your proxies in ROLLKEY_TRUSTED_PROXIES.',
    )
  },
  'identity provider': async ({ config: { IDP_ISSUER, IDP_JWKS_URL } }) => {
    if (IDP_ISSUER === undefined) return ok('embedded')
    try {
      const { keys } = await externalKeys(IDP_ISSUER, IDP_JWKS_URL).load()
      if (keys.length > 0) return ok(`${IDP_ISSUER} publishes ${countText(keys.length, 'key')}`)
    } catch {}
    return fail(
      `the keys of ${IDP_ISSUER} cannot be loaded`,
      'Check ROLLKEY_IDP_ISSUER (exactly as the provider spells it), ROLLKEY_IDP_JWKS_URL and the network.',
    )
  },
  'provider clock': async ({ clock, config: { IDP_ISSUER } }) => {
    if (IDP_ISSUER === undefined) return undefined
    const answer = await answerOf(IDP_ISSUER)
    if (typeof answer === 'string' || Number.isNaN(answer.dateMs)) return undefined
    const differenceMs = Math.abs(answer.dateMs - clock.now())
    const found = `${Math.round(differenceMs / 1_000)} s apart`
    const todo = 'Synchronize the clock of this machine with NTP: otherwise tokens are refused or live too long.'
    if (differenceMs > leewayMs) return fail(found, todo)
    return differenceMs > skewedMs ? warn(found, todo) : ok(found)
  },
  mail: async ({ config: { SMTP_URL, MAIL_FROM = '', IDP_ISSUER }, publicUrl, mailTo }) => {
    // An external identity provider keeps the addresses of people.
    if (IDP_ISSUER !== undefined) return undefined
    const server = smtpServerOf(SMTP_URL ?? '')
    if (!server && mailTo !== undefined)
      return fail('not set, so no test mail was sent', 'Set ROLLKEY_SMTP_URL and ROLLKEY_MAIL_FROM.')
    if (!server)
      return ok('not set: invitations and password links are handed over by hand (ROLLKEY_SMTP_URL sends them)')
    const smtp = new Smtp({ server, from: MAIL_FROM, timeoutMs: mailTimeoutMs })
    const { signal } = new AbortController()
    const refusal = await (mailTo === undefined ? smtp.check(signal) : smtp.send(testMail(publicUrl, mailTo), signal))
    const place = `${server.host}:${server.port}`
    if (!refusal) return ok(mailTo === undefined ? `${place} answers` : `${place} accepted a test mail`)
    return fail(
      `${place} takes no mail (${refusal.failure})`,
      'Check ROLLKEY_SMTP_URL and the network. Mails wait for a day at most.',
    )
  },
  billing: async ({ config: { BILLING_URL } }) => {
    if (BILLING_URL === undefined) return undefined
    const url = BILLING_URL.startsWith('stripe:') ? 'https://api.stripe.com' : BILLING_URL
    const answer = await answerOf(url)
    if (typeof answer === 'object') return ok(`${new URL(url).host} answers`)
    return fail(
      `${new URL(url).host} does not answer (${answer})`,
      'Check ROLLKEY_BILLING_URL and the network. Usage reports wait and are sent later.',
    )
  },
  'audit stream': async ({ sql, clock, config: { AUDIT_STREAM, AUDIT_STREAM_REQUIRED, AUDIT_STREAM_MAX_SECONDS } }) => {
    const target = AUDIT_STREAM === undefined ? undefined : streamTarget(AUDIT_STREAM)
    if (!target || !sql) return undefined
    const name = streamName(target)
    const waiting = await undelivered(sql)
    const lagSeconds = waiting.reduce((most, row) => Math.max(most, (clock.now() - waitsSinceMs(row)) / 1_000), 0)
    const failed = waiting
      .filter(({ failing_since_ms: sinceMs }) => sinceMs !== null)
      .toSorted((a, b) => Number(a.failing_since_ms) - Number(b.failing_since_ms))[0]
    const failingSeconds = Math.round((clock.now() - Number(failed?.failing_since_ms)) / 1_000)
    const why = failed ? ` (${failed.failure}, for ${failingSeconds} s)` : ''
    if (lagSeconds <= AUDIT_STREAM_MAX_SECONDS)
      return ok(`${name} has all entries but those of ${Math.round(lagSeconds)} s${why}`)
    const found = `${name} lacks entries since ${Math.round(lagSeconds)} s${why}`
    const todo = `Check ROLLKEY_AUDIT_STREAM and its receiver, then run ${operatorProgram} outbox retry audit-stream.`
    return AUDIT_STREAM_REQUIRED === 'yes' ? fail(`${found}, and actions are refused`, todo) : warn(found, todo)
  },
}
