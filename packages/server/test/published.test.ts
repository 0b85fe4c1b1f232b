/** Tests that the test client accepts only answers that the published document allows. */
import { endpoints, type Endpoint, type EndpointName } from '@rollkey/contract'
import { expect, test } from 'vitest'
import { assertPublished, publishedOf, type OperationName } from '../testkit/published.ts'

const requestId = 'req_1'

function refusal(name: OperationName, status: number, body: object, contentType?: string): string {
  try {
    assertPublished(name, status, JSON.stringify(body), contentType)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

test('every answer is documented with its request id, and later versions may add fields', () => {
  for (const [name, { streams }] of Object.entries<Endpoint>(endpoints)) {
    const text = JSON.stringify(publishedOf(name as EndpointName, 200))
    expect(text, name).not.toContain('"additionalProperties":false')
    expect(text.includes('"requestId"'), name).toBe(streams !== true)
  }
  expect(refusal('logout', 200, { ok: true, requestId })).toBe('')
})

test('an undocumented field, status or code is reported', () => {
  expect(refusal('logout', 200, { ok: true })).toMatch(/requestId/)
  expect(refusal('logout', 200, { ok: true, requestId, more: 1 })).toMatch(/unevaluated properties/)
  expect(refusal('devicePoll', 200, { status: 'pending', requestId, more: 1 })).toMatch(/unevaluated properties/)
  expect(refusal('logout', 201, { ok: true, requestId })).toMatch(/status 201 is not documented/)
  const error = { code: 'VARIABLE_NOT_FOUND', message: 'No.', requestId }
  expect(refusal('logout', 404, { error })).toMatch(/is not documented/)
  expect(refusal('evaluate', 404, { error })).toBe('')
  expect(refusal('evaluate', 404, { error: { ...error, stack: '' } })).toMatch(/additional properties/)
})

test('so it is for other standards, whose errors have their own forms', () => {
  const refused = { error: 'invalid_grant', error_description: 'No.' }
  expect(refusal('tokenExchange', 400, refused)).toBe('')
  expect(refusal('tokenExchange', 400, { ...refused, more: 1 })).toMatch(/additional properties/)
  expect(refusal('tokenExchange', 404, refused)).toMatch(/status 404 is not documented/)
  const flag = { key: 'F', value: 1, reason: 'STATIC', variant: 'default', metadata: { kind: 'secret' } }
  const { variant: _, ...bare } = flag
  expect(refusal('ofrepEvaluate', 200, flag)).toBe('')
  expect(refusal('ofrepEvaluate', 200, bare)).toMatch(/variant/)
  expect(refusal('ofrepEvaluateAll', 200, { flags: [flag], more: 1 })).toMatch(/additional properties/)
  const manifested = { key: 'F', type: 'float', defaultValue: 0 }
  expect(refusal('flagManifest', 200, { flags: [manifested] })).toBe('')
  expect(refusal('flagManifest', 200, { flags: [{ ...manifested, value: 1 }] })).toMatch(/additional properties/)
  expect(refusal('flagManifest', 401, { error: { message: 'No.' } })).toMatch(/status/)
  expect(refusal('ofrepEvents', 401, { error: { code: 'UNAUTHORIZED', message: 'No.', requestId } })).toBe('')
  expect(refusal('ofrepEvents', 200, { type: 'refetchEvaluation' }, 'text/event-stream')).toBe('')
  expect(refusal('ofrepEvents', 200, { type: 'other' }, 'text/event-stream')).toMatch(/constant/)
})
