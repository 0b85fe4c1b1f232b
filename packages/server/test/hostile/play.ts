/** Plays one case: scene → clock → steps before → the request, repeated as specified → steps after. */
import { errors, type ErrorCode } from '@rollkey/contract'
import { expect } from 'vitest'
import type { Expectation, HostileCase, Sendable, Step } from './case.ts'
import { checks, type Checked } from './checks.ts'
import { fill, fillText, makeNamed, signNamed } from './placeholders.ts'
import { tokenMakers } from './tokens.ts'
import { sendHttp, sendRaw, type WireAnswer } from './wire.ts'
import { organizationFor, Scene, type HostileEnv } from './test-env.ts'
import { newUser } from '../../testkit/client.ts'

function bodyOf(scene: Scene, sendable: Sendable): Buffer | undefined {
  const { body, rawBody, rawBodyBase64, rawBodyGen } = sendable
  if (body !== undefined) return Buffer.from(JSON.stringify(fill(scene, body)))
  if (rawBody !== undefined) return Buffer.from(fillText(scene, rawBody))
  if (rawBodyBase64 !== undefined) {
    return Buffer.from(fillText(scene, Buffer.from(rawBodyBase64, 'base64').toString('latin1')), 'latin1')
  }
  if (rawBodyGen === undefined) return undefined
  const { prefix = '', unit, count, sep = '', middle = '', suffixUnit = '', suffix = '' } = rawBodyGen
  const units =
    unit.length === 1
      ? unit.repeat(count)
      : Array.from({ length: count }, (_, i) => unit.replaceAll('{{i}}', String(i))).join(sep)
  return Buffer.from(fillText(scene, prefix + units + middle + suffixUnit.repeat(count) + suffix))
}

async function send(scene: Scene, sendable: Sendable): Promise<Checked> {
  const { method, path, rawHttp } = sendable
  if (JSON.stringify(sendable).includes('{{jwtKidRandom}}')) {
    const { provider, listenerUrl } = scene.testEnv
    scene.set('jwtKidRandom', (await tokenMakers['jwtKidRandom']?.(provider, scene.user, listenerUrl)) ?? '')
  }
  const headers = fill(scene, sendable.headers)
  const answer: WireAnswer =
    rawHttp === undefined
      ? await sendHttp(scene.app.url, { method, path: fillText(scene, path), headers, body: bodyOf(scene, sendable) })
      : await sendRaw(scene.app.url, fillText(scene, rawHttp))
  const sent = headers['x-request-id']
  return { ...answer, body: parsed(answer.text), sentRequestId: typeof sent === 'string' ? sent : undefined }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function asList<T>(value: T | readonly T[]): readonly T[] {
  return Array.isArray(value) ? (value as readonly T[]) : [value as T]
}

function assertErrorShape({ status, headers, body }: Checked, expectCode: Expectation['expectCode']): void {
  expect(headers['content-type']).toContain('application/json')
  expect(Object.keys(body as object)).toEqual(['error'])
  const { code, message, requestId } = (body as { error: { code: ErrorCode; message: string; requestId: string } })
    .error
  expect(errors[code].status).toBe(status)
  expect(message).toMatch(/\S/)
  expect(message).not.toMatch(/node_modules|\.ts:|at \w+ \(|ZodError|SQLITE|Unexpected token/)
  expect(requestId).toBe(headers['x-request-id'])
  expect(requestId).toMatch(/\S/)
  if (expectCode !== '*' && expectCode) expect(asList(expectCode)).toContain(code)
}

/** Asserts the shape of an error of the Vault protocol. */
function assertVaultErrorShape({ headers, body }: Checked): void {
  expect(headers['content-type']).toBe('application/json')
  expect(Object.keys(body as object)).toEqual(['errors'])
  for (const sentence of (body as { errors: string[] }).errors) {
    expect(sentence).toMatch(/\S/)
    expect(sentence).not.toMatch(/node_modules|\.ts:|at \w+ \(|ZodError|SQLITE|Unexpected token/)
  }
  expect(headers['x-request-id']).toMatch(/\S/)
}

async function assertAnswer(scene: Scene, answer: Checked, expectation: Expectation): Promise<void> {
  const { expectStatus, expectCode, check = {} } = fill(scene, expectation)
  const { status, headers, text, body } = answer
  expect(asList(expectStatus), text.slice(0, 300)).toContain(status)
  const isApi = headers['content-type']?.includes('application/json')
  const bodiless = 'emptyBody' in check || (('emptyBodyAllowed' in check || status === 0) && text === '')
  if (status >= 400 && !bodiless) {
    // Invalid HTTP is refused before its path is known.
    if (body && 'errors' in (body as object)) assertVaultErrorShape(answer)
    else assertErrorShape(answer, expectCode)
  } else if (status === 200 && isApi && !bodiless) {
    const { requestId, request_id: vaultId } = body as { requestId?: string; request_id?: string }
    expect(requestId ?? vaultId).toBe(headers['x-request-id'])
  }
  for (const [name, expected] of Object.entries(check)) {
    const run = checks[name]
    if (!run) throw new Error(`unknown check ${name}`)
    await run(expected, answer, scene)
  }
}

/** Returns a short form as a complete request. */
function requestOf(scene: Scene, step: Step): Sendable | undefined {
  const json = { 'content-type': 'application/json' }
  if (step.get !== undefined) {
    return { method: 'GET', path: step.get, headers: { authorization: `Bearer ${step.bearer}` } }
  }
  if (step.refresh !== undefined) {
    const body = { refreshToken: step.refresh }
    return { method: 'POST', path: '/v1/cli/token/refresh', headers: json, body }
  }
  if (step.post !== undefined) {
    const { post, name, stage = '{{stageSlug}}' } = step
    const body = { orgSlug: '{{orgSlug}}', projectSlug: '{{projectSlug}}', stageSlug: stage, ...(name && { name }) }
    return { method: 'POST', path: post, headers: { ...json, authorization: 'Bearer {{accessToken}}' }, body }
  }
  return step.method === undefined ? undefined : (step as Sendable)
}

async function playPoll(scene: Scene, { poll = '', pending, sessionOrg }: Step): Promise<void> {
  const answer = await scene.app.client.must('devicePoll', { deviceCode: fillText(scene, poll) })
  if (pending) expect(answer.status).toBe('pending')
  if (sessionOrg !== undefined) {
    const session = await scene.app.client.must('session', {}, { token: answer.accessToken })
    expect(session.orgSlug).toBe(fillText(scene, sessionOrg))
  }
}

async function playStep(scene: Scene, step: Step): Promise<void> {
  const { provider } = scene.testEnv
  if (step.poll !== undefined) return playPoll(scene, step)
  if (step.restoreMember) return provider.restore(scene.removedUser)
  const request = requestOf(scene, step)
  if (!request || step.expectStatus === undefined) throw new Error(`unknown step ${JSON.stringify(step)}`)
  await assertAnswer(scene, await send(scene, request), step as Expectation)
}

/** Returns the revision of the stage of a refused write, because an error must have changed nothing. */
async function revisionOf(scene: Scene): Promise<number> {
  const stage = { orgSlug: scene.org.slug, projectSlug: 'shop', stageSlug: 'prod' }
  const token = await scene.testEnv.provider.tokenOf(newUser(scene.org.slug))
  return (await scene.app.client.must('list', stage, { token })).revision
}

export async function play(testEnv: HostileEnv, app: HostileEnv['app'], hostile: HostileCase): Promise<void> {
  const uniqueKey = crypto.randomUUID()
  const org = await organizationFor(testEnv, app, hostile.fixture, uniqueKey)
  const scene = new Scene(testEnv, app, org, uniqueKey)
  const text = JSON.stringify(hostile)
  await makeNamed(scene, hostile.then ? `{{accessToken}} ${text}` : text)
  testEnv.clock.advance((hostile.afterSec ?? 0) * 1_000)
  await signNamed(scene, text)
  testEnv.provider.keyFetches = 0
  for (const step of hostile.before ?? []) await playStep(scene, step)
  const revision = hostile.group === 'write' ? await revisionOf(scene) : 0

  if (hostile.atExpiry) {
    const expiry = scene.session?.accessTokenExpiresAtMs ?? 0
    testEnv.clock.freezeAt(expiry - 1)
    const { status } = await send(scene, hostile)
    expect(status, 'one millisecond before the expiry').toBe(200)
    testEnv.clock.freezeAt(expiry)
  }
  let refused = false
  const once = async (): Promise<void> => {
    const answer = await send(scene, hostile)
    await assertAnswer(scene, answer, hostile)
    refused ||= answer.status >= 400
  }
  const times = hostile.repeat ?? 1
  const atOnce = hostile.parallel ?? 1
  for (let done = 0; done < times; done += atOnce) {
    await Promise.all(Array.from({ length: Math.min(atOnce, times - done) }, once))
  }
  testEnv.clock.run()

  if (hostile.group === 'write' && refused) expect(await revisionOf(scene)).toBe(revision)
  if (refused && Array.isArray(hostile.expectStatus)) return
  for (const step of hostile.then ?? []) await playStep(scene, step)
}
