import { describe, expect, test } from 'vitest'
import {
  endpoints,
  errorsOf,
  isScoped,
  limits,
  userCodeAlphabet,
  userCodeFormat,
  type Endpoint,
} from '@rollkey/contract'

describe('the endpoint table', () => {
  test('has these endpoints', () => {
    const found = Object.values(endpoints).map(({ method, path, auth }) => `${method} ${path} ${auth}`)
    // `caller` is any bearer token, `session` is an access token.
    expect(found).toEqual([
      'POST /v1/env/evaluate caller',
      'POST /v1/env/evaluate-batch caller',
      'POST /v1/env/pull caller',
      'POST /v1/env/list caller',
      'POST /v1/env/write caller',
      'POST /v1/env/update caller',
      'POST /v1/env/pins person',
      'POST /v1/env/explain caller',
      'POST /v1/env/copy caller',
      'POST /v1/env/reveal person',
      'POST /v1/env/plain person',
      'GET /v1/typegen/manifest caller',
      'POST /v1/env/digests caller',
      'POST /v1/env/ruleset caller',
      'POST /v1/env/report caller',
      'POST /v1/env/history caller',
      'POST /v1/env/plain-history person',
      'POST /v1/history/recent caller',
      'POST /v1/env/restore caller',
      'POST /v1/env/roll-counts caller',
      'POST /v1/rolls/list caller',
      'POST /v1/audit/list person',
      'POST /v1/changes/propose caller',
      'POST /v1/changes/list caller',
      'POST /v1/changes/show caller',
      'POST /v1/changes/reveal person',
      'POST /v1/changes/edit caller',
      'POST /v1/changes/review person',
      'POST /v1/changes/apply caller',
      'POST /v1/changes/withdraw caller',
      'POST /v1/changes/reschedule caller',
      'POST /v1/changes/pause caller',
      'POST /v1/changes/resume caller',
      'POST /v1/changes/skip caller',
      'POST /v1/changes/abort caller',
      'POST /v1/projects/list caller',
      'POST /v1/projects/create caller',
      'POST /v1/projects/update caller',
      'POST /v1/stages/create caller',
      'POST /v1/stages/update caller',
      'POST /v1/stages/delete person',
      'POST /v1/projects/delete person',
      'POST /v1/stages/order caller',
      'POST /v1/organization/show caller',
      'POST /v1/organization/update person',
      'POST /v1/organization/sign-in/show person',
      'POST /v1/organization/sign-in/set owner',
      'POST /v1/organization/delete owner',
      'POST /v1/usage/show caller',
      'POST /v1/usage/callers person',
      'POST /v1/organization/attention caller',
      'POST /v1/env/search caller',
      'GET /v1/events caller',
      'POST /v1/access/list person',
      'POST /v1/access/grant person',
      'POST /v1/access/revoke person',
      'POST /v1/access/explain person',
      'POST /v1/access/holders person',
      'POST /v1/groups/list person',
      'POST /v1/groups/create person',
      'POST /v1/groups/update person',
      'POST /v1/groups/delete person',
      'POST /v1/groups/members person',
      'POST /v1/roles/list caller',
      'POST /v1/roles/set person',
      'POST /v1/roles/delete person',
      'POST /v1/stages/protect person',
      'GET /v1/whoami caller',
      'POST /v1/tokens/create person',
      'POST /v1/tokens/list person',
      'POST /v1/tokens/rotate person',
      'POST /v1/tokens/revoke person',
      'POST /v1/trusts/create person',
      'POST /v1/trusts/list person',
      'POST /v1/trusts/update person',
      'POST /v1/trusts/delete person',
      'POST /v1/trusts/test person',
      'POST /v1/keys/create person',
      'POST /v1/keys/list person',
      'POST /v1/keys/revoke person',
      'POST /v1/cli/device/start none',
      'POST /v1/cli/device/complete provider',
      'POST /v1/cli/device/show provider',
      'POST /v1/cli/device/deny provider',
      'POST /v1/cli/device/poll none',
      'POST /v1/cli/token/refresh none',
      'POST /v1/cli/logout session',
      'POST /v1/sessions/list caller',
      'POST /v1/sessions/revoke caller',
      'POST /v1/sessions/confirm provider',
      'GET /v1/cli/session session',
      'GET /v1/web/settings none',
      'POST /v1/web/sign-in none',
      'POST /v1/web/token none',
    ])
  })

  test('limits each body to the needs of its endpoint', () => {
    const short = ['/v1/cli/', '/v1/sessions/', '/v1/tokens/']
    for (const { path, method, bodyBytes } of Object.values(endpoints)) {
      const isShort = short.some((prefix) => path.startsWith(prefix))
      const maxBytes = isShort ? 4_096 : path.startsWith('/v1/web/') ? 16_384 : 1_048_576
      const special: Record<string, number> = {
        '/v1/env/write': 4_194_304,
        '/v1/env/update': 4_194_304,
        '/v1/changes/propose': 4_194_304,
        '/v1/changes/edit': 4_194_304,
        '/v1/trusts/test': 65_536,
      }
      const expected = special[path] ?? maxBytes
      expect(bodyBytes, path).toBe(method === 'GET' ? 0 : expected)
    }
  })
})

describe('the verbs', () => {
  const rows = Object.entries(endpoints as Record<string, Endpoint>)
  const namesOf = (verb: Endpoint['verb']) => rows.filter(([, row]) => row.verb === verb).map(([name]) => name)

  test('are these', () => {
    expect(namesOf('read')).toEqual([
      'evaluate',
      'evaluateBatch',
      'pull',
      'pins',
      'explain',
      'reveal',
      'plain',
      'ruleset',
      'report',
      'plainHistory',
      'changeReveal',
    ])
    expect(namesOf('write')).toEqual([
      'write',
      'update',
      'copy',
      'restore',
      'changePropose',
      'changeEdit',
      'changeApply',
      'changeWithdraw',
      'changeReschedule',
      'changePause',
      'changeResume',
      'changeSkip',
      'changeAbort',
      'projectCreate',
      'projectUpdate',
      'stageCreate',
      'stageUpdate',
      'stageOrder',
    ])
    expect(namesOf('manage')).toEqual([
      'audit',
      'stageDelete',
      'projectDelete',
      'organizationUpdate',
      'signInRules',
      'signInRulesSet',
      'organizationDelete',
      'usageCallers',
      'accessList',
      'accessGrant',
      'accessRevoke',
      'accessHolders',
      'groups',
      'groupCreate',
      'groupUpdate',
      'groupDelete',
      'groupMembers',
      'roleSet',
      'roleDelete',
      'stageProtect',
      'tokenCreate',
      'tokenList',
      'tokenRotate',
      'tokenRevoke',
      'trustCreate',
      'trustList',
      'trustUpdate',
      'trustDelete',
      'trustTest',
      'keyCreate',
      'keyList',
      'keyRevoke',
    ])
  })

  test('are needed where the organization is named, and what needs none is about the organization as a whole or the caller', () => {
    for (const [name, row] of rows.filter(([, each]) => !isScoped(each))) expect(row.verb, name).toBe('none')
    const withoutVerb = rows.filter(([, row]) => isScoped(row) && row.verb === 'none').map(([name]) => name)
    expect(withoutVerb).toEqual(['organization', 'roles', 'sessionList', 'sessionRevoke', 'sessionConfirm'])
  })
})

describe('the restrictions of a service token', () => {
  test('cover the endpoints that bill and that change something', () => {
    const rows = Object.entries(endpoints as Record<string, Endpoint>)
    expect(rows.filter(([, { metered }]) => metered).map(([name]) => name)).toEqual([
      'evaluate',
      'evaluateBatch',
      'pull',
      'ruleset',
    ])
    expect(rows.filter(([, { changes }]) => changes).map(([name]) => name)).toEqual([
      'write',
      'update',
      'copy',
      'restore',
      'changePropose',
      'changeEdit',
      'changeApply',
      'changeWithdraw',
      'changeReschedule',
      'changePause',
      'changeResume',
      'changeSkip',
      'changeAbort',
      'projectCreate',
      'projectUpdate',
      'stageCreate',
      'stageUpdate',
      'stageOrder',
      'sessionRevoke',
    ])
  })

  test('come with a confirmation for what cannot be undone', () => {
    const rows = Object.entries(endpoints as Record<string, Endpoint>)
    const confirmed = rows.filter(([, { confirmation }]) => confirmation)
    const names = confirmed.map(([name]) => name)
    expect(names).toEqual(['stageDelete', 'projectDelete', 'signInRulesSet', 'organizationDelete', 'sessionConfirm'])
    // Whether these need one depends on what they name.
    const sometimes = [
      'copy',
      'changePropose',
      'changeEdit',
      'accessGrant',
      'groupMembers',
      'groupUpdate',
      'roleSet',
      'stageProtect',
      'tokenCreate',
      'tokenRotate',
      'trustCreate',
      'trustUpdate',
      'keyCreate',
    ]
    for (const [name, endpoint] of rows) {
      const isConfirmed = endpoint.verb === 'read' || [...names, ...sometimes].includes(name)
      expect(errorsOf(endpoint).includes('CONFIRMATION_REQUIRED'), name).toBe(isConfirmed)
    }
  })

  test('apply where a machine could be identified, and where the organization is named', () => {
    for (const endpoint of Object.values(endpoints)) {
      const identifies = endpoint.auth !== 'none' && endpoint.auth !== 'provider'
      expect(errorsOf(endpoint).includes('FORBIDDEN'), endpoint.path).toBe(identifies || isScoped(endpoint))
    }
    expect(Object.values(endpoints).filter((endpoint) => isScoped(endpoint))).toHaveLength(82)
  })

  test('require a project with a stage', () => {
    const { request } = endpoints.tokenCreate
    const input = { orgSlug: 'acme', name: 'ci' }
    expect(request.parse(input)).toEqual({ ...input, history: false })
    expect(request.safeParse({ ...input, projectSlug: 'p', stageSlug: 's' }).success).toBe(true)
    for (const wrong of [
      { stageSlug: 's' },
      { expiresInDays: 0 },
      { expiresInDays: 3_651 },
      { name: ' ' },
      { role: 'maintainer' },
      { role: 'reader', readOnly: true },
    ]) {
      expect(request.safeParse({ ...input, ...wrong }).success, JSON.stringify(wrong)).toBe(false)
    }
  })
})

describe('the limits', () => {
  test('have these values', () => {
    expect(limits).toEqual({
      approvals: 10,
      breakGlassOwners: 20,
      changeReasonCharacters: 1_000,
      freezeWindows: 20,
      listedChanges: 100,
      openChanges: 1_000,
      openChangesOfOne: 50,
      rampSteps: 100,
      staleDays: 30,
      labelCharacters: 64,
      contextAttributeCharacters: 256,
      pinnedSeeds: 1_000,
      ruleValues: 1_000,
      targetingRules: 100,
      targetingRulesBytes: 65_536,
      versionRangeCharacters: 256,
      accessTokenLifetimeMs: 3_600_000,
      refreshTokenLifetimeMs: 2_592_000_000,
      refreshReuseLeewayMs: 60_000,
      serviceTokenDays: 3_650,
      serviceTokenDaysByDefault: 365,
      tokenNameCharacters: 128,
      displayNameCharacters: 128,
      clientKeys: 1_000,
      clientKeyOrigins: 20,
      originCharacters: 255,
      trusts: 1_000,
      trustClaims: 20,
      claimNameCharacters: 128,
      claimValueCharacters: 1_024,
      issuerCharacters: 512,
      trustKeys: 20,
      trustKeysCharacters: 65_536,
      exchangedTokenMinSec: 60,
      exchangedTokenMaxSec: 3_600,
      exchangedTokenSecByDefault: 900,
      outsideTokenCharacters: 32_768,
      outsideTokenMaxAgeSec: 86_400,
      exchangeBodyBytes: 65_536,
      searchResults: 200,
      missingNames: 10,
      expiringTokenDays: 14,
      rolls: 1_000,
      cursorCharacters: 256,
      sinceCharacters: 8_192,
      usageMonths: 24,
      usageMonthsByDefault: 12,
      usageCallers: 1_000,
      deviceCodeLifetimeSec: 600,
      deviceCodePollIntervalSec: 5,
      clientNameCharacters: 256,
      wrongUserCodes: 30,
      wrongUserCodesWindowMs: 600_000,
      membershipFreshMs: 60_000,
      membershipStaleMs: 900_000,
      providerTokenLeewaySec: 10,
      nameCharacters: 256,
      descriptionCharacters: 1_000,
      newProjectStages: 20,
      grants: 10_000,
      groups: 1_000,
      changedMembers: 1_000,
      groupMembers: 50_000,
      roles: 100,
      principalCharacters: 256,
      rotationOverlapHours: 168,
      rotationOverlapHoursByDefault: 24,
      orderedStages: 1_000,
      valueBytes: 65_536,
      seedBytes: 1_024,
      entries: 1_000,
      stageVariables: 10_000,
      stageBytes: 16_777_216,
      revealedVariables: 100,
      historyChanges: 200,
      historyChangesByDefault: 50,
      recentRevisions: 50,
      recentChanges: 5,
      usageDays: 400,
      auditEntries: 500,
      auditEntriesByDefault: 100,
      bodyBytes: 1_048_576,
      writeBodyBytes: 4_194_304,
      shortBodyBytes: 4_096,
      webBodyBytes: 16_384,
      identityBodyBytes: 65_536,
      evaluatedBytes: 16_777_216,
      headerBytes: 16_384,
      requestIdCharacters: 128,
      requestKeyCharacters: 255,
      reportedCount: 1_000_000_000,
      requestKeyWindowMs: 600_000,
      reportKeyWindowMs: 3_600_000,
      corsMaxAgeSec: 86_400,
    })
  })
})

describe('the user code', () => {
  test('is issued from letters and digits without look-alikes', () => {
    expect(userCodeAlphabet).toBe('ABCDEFGHJKMNPQRSTUVWXYZ23456789')
  })

  test.each(['ABCDEFGH', 'A2345678', '00000000', 'OIL10000'])('%s is well formed', (code) => {
    expect(userCodeFormat.test(code)).toBe(true)
  })

  test.each(['', 'ABCDEFG', 'ABCDEFGHJ', 'abcdefgh', 'ABCD-EFG', 'ABCD-EFGH', 'ABCDEFG\n', 'ABCDEFGH\n', 'ÄBCDEFGH'])(
    '%j is not well formed',
    (code) => {
      expect(userCodeFormat.test(code)).toBe(false)
    },
  )
})
