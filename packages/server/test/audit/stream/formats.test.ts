/** What each action of the audit log is in the formats of the audit stream. */
import { auditAction, type AuditAction } from '@rollkey/contract'
import { expect, test } from 'vitest'
import { checkpointMessage, entryMessage } from '../../../src/audit/stream/formats.ts'
import { ocsfEvents } from '../../../src/audit/stream/ocsf.ts'
import type { ChainedRow } from '../../../src/storage/audit-chain.ts'

const context = { orgId: 'org_1', organization: 'acme', version: '1.2.3' }

function row(action: AuditAction, more: Partial<ChainedRow> = {}): ChainedRow {
  return {
    seq: 7,
    at_ms: 1_795_294_800_000,
    action,
    content_digest: 'digest',
    chain: 'link',
    salt: 'salt',
    actor: 'user_1',
    how: 'session',
    client: 'cli session laptop',
    project_slug: 'shop',
    stage_slug: 'prod',
    names: '\nA\nB\n',
    name_count: 2,
    revision: 3,
    subject: '{"parts":["rules"]}',
    request_id: 'request-1',
    ...more,
  }
}

const textOf = (format: 'json' | 'cef', entry: ChainedRow): string =>
  entryMessage({ ...context, format }, entry, 'before').text

test('JSON has the names of OCSF, and what a receiver verifies', () => {
  expect(JSON.parse(textOf('json', row('variable.update')))).toEqual({
    time: 1_795_294_800_000,
    class_uid: 3004,
    class_name: 'Entity Management',
    category_uid: 3,
    activity_id: 3,
    activity_name: 'Update',
    type_uid: 300_403,
    severity_id: 1,
    status_id: 1,
    status: 'Success',
    metadata: {
      version: '1.1.0',
      product: { name: 'Rollkey', vendor_name: 'Rollkey', version: '1.2.3' },
      uid: 'org_1/7',
      event_code: 'variable.update',
      correlation_uid: 'request-1',
    },
    actor: { user: { uid: 'user_1' } },
    unmapped: {
      orgId: 'org_1',
      organization: 'acme',
      seq: 7,
      atMs: 1_795_294_800_000,
      action: 'variable.update',
      actor: 'user_1',
      how: 'session',
      client: 'cli session laptop',
      projectSlug: 'shop',
      stageSlug: 'prod',
      names: ['A', 'B'],
      nameCount: 2,
      revision: 3,
      facts: { parts: ['rules'] },
      requestId: 'request-1',
      salt: 'salt',
      contentDigest: 'digest',
      previousChain: 'before',
      chain: 'link',
    },
  })
})

test('CEF has the same on one line, whatever the texts contain', () => {
  expect(textOf('cef', row('refusal', { subject: '{"endpoint":"reveal","code":"FORBIDDEN"}' }))).toBe(
    'CEF:0|Rollkey|Rollkey|1.2.3|refusal|API Activity: Other|6|rt=1795294800000 externalId=7 deviceExternalId=org_1 ' +
      'outcome=Failure suid=user_1 requestClientApplication=cli session laptop cs1Label=organization cs1=acme ' +
      'cs2Label=place cs2=shop/prod cs3Label=names cs3=A B cs4Label=facts cs4={"endpoint":"reveal","code":"FORBIDDEN"} ' +
      'cs5Label=chain cs5=link cs6Label=requestId cs6=request-1 cn1Label=revision cn1=3',
  )
  const odd = textOf('cef', row('export', { client: 'a=b\\c\r\nCEF:0|d' }))
  expect(odd).toContain('requestClientApplication=a\\=b\\\\c\\r\\nCEF:0|d cs1Label')
  expect(odd).not.toContain('\n')
})

test('an entry without details has none, and a checkpoint its signature', () => {
  const none = { project_slug: null, stage_slug: null, names: null, name_count: null, revision: null, subject: null }
  const deleted = row('sign-in', { ...none, salt: null, actor: '', how: '', client: '', request_id: null })
  const { actor, unmapped } = JSON.parse(textOf('json', deleted)) as { actor?: object; unmapped: object }
  expect(actor).toBeUndefined()
  expect(unmapped).toEqual({
    orgId: 'org_1',
    organization: 'acme',
    seq: 7,
    atMs: 1_795_294_800_000,
    action: 'sign-in',
    contentDigest: 'digest',
    previousChain: 'before',
    chain: 'link',
  })
  expect(textOf('cef', deleted)).toMatch(/ outcome=Success cs1Label=organization cs1=acme cs5Label=chain cs5=link$/)
  const checkpoint = { orgId: 'org_1', seq: 7, chainedFrom: 0, atMs: 9, chain: 'link', signature: 'signature' }
  const json = checkpointMessage({ ...context, format: 'json' }, checkpoint)
  expect(JSON.parse(json.text)).toMatchObject({
    class_uid: 0,
    activity_id: 99,
    type_uid: 99,
    metadata: { uid: 'org_1/checkpoint/7', event_code: 'audit.checkpoint' },
    unmapped: { checkpoint: '7.0.9.link.signature' },
  })
  expect(checkpointMessage({ ...context, format: 'cef' }, checkpoint).text).toMatch(/ cs5=7\.0\.9\.link\.signature$/)
})

test('each action has a class and an activity', () => {
  const byType = Map.groupBy(auditAction.options, (action) => {
    const json = JSON.parse(textOf('json', row(action))) as { type_uid: number; status_id: number }
    // The number that a failure has in CEF shows that both formats say the same.
    const isFailure = textOf('cef', row(action)).includes('|6|rt=')
    expect(json.status_id === 2, action).toBe(isFailure)
    return `${json.type_uid}${isFailure ? ' failure' : ''}`
  })
  expect(Object.keys(ocsfEvents).toSorted()).toEqual(auditAction.options.toSorted())
  const lines = [...byType]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([type, actions]) => `${type}: ${actions.join(' ')}`)
  expect(`\n${lines.join('\n')}\n`).toMatchInlineSnapshot(`
    "
    300101: setup
    300103: password.change
    300104: password.reset password.link
    300110: passkey.add second-factor.add
    300111: passkey.remove second-factor.remove
    300199: email.change second-factor.codes sign-in-method.add sign-in-method.remove
    300201: trust.exchange device.exchange session.confirm sign-in
    300201 failure: sign-in.failed
    300202: session.revoke logout sign-out
    300205: session.refresh
    300299: device.approve
    300299 failure: device.deny
    300401: variable.create copy change.propose token.create trust.create client-key.create hook.create project.create stage.create organization.create invitation.create
    300402: reveal export
    300403: variable.update variable.expose write chance restore change.edit change.reschedule change.approve change.reject change.apply change.step change.skip change.pause change.resume change.abort token.rotate trust.update hook.update hook.rotate hook.off project.update stage.update declaration.set stage.order stage.protect stage.rules organization.update invitation.accept invitation.reject signing-keys.revoke key.rotate key.rewrap backup.restore
    300403 failure: change.fail
    300404: variable.delete change.withdraw token.revoke trust.delete client-key.revoke hook.delete project.delete declaration.delete stage.delete organization.delete invitation.cancel
    300499: token.expiring secret.due roll.misfit
    300501: access.grant role.set member.add member.role
    300502: access.revoke role.delete member.remove
    300603: group.join
    300604: group.leave
    300605: group.delete
    300606: group.create
    300699: group.update
    600399 failure: refusal
    "
  `)
})
