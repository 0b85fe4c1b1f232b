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

const rows = Object.entries(endpoints as Record<string, Endpoint>)

/** Returns all that decides who may call an endpoint and what a call is: a change of the API is a change of its line here. */
function lineOf([name, row]: [string, Endpoint]): string {
  const { method, path, auth, verb, at, errors } = row
  const needed = at === undefined ? verb : `${verb} ${at}`
  const flags = Object.entries(row).flatMap(([flag, value]) => (value === true ? [flag] : []))
  const scope = isScoped(row) ? [] : ['without organization']
  const confirmed = errors.includes('CONFIRMATION_REQUIRED') ? ['confirmation for some'] : []
  return `${name}: ${method} ${path}, ${[auth, needed, ...scope, ...flags, ...confirmed].join(', ')}`
}

describe('the endpoint table', () => {
  test('has these endpoints', () => {
    expect(rows.map(lineOf)).toEqual([
      'evaluate: POST /v1/env/evaluate, caller, read, metered',
      'evaluateBatch: POST /v1/env/evaluate-batch, caller, read, metered',
      'pull: POST /v1/env/pull, caller, read, metered',
      'list: POST /v1/env/list, caller, list',
      'write: POST /v1/env/write, caller, write, changes, writesVariables, repeatable',
      'update: POST /v1/env/update, caller, write, changes, writesVariables, repeatable',
      'pins: POST /v1/env/pins, person, read',
      'explain: POST /v1/env/explain, caller, read, expensive',
      'copy: POST /v1/env/copy, caller, write, changes, writesVariables, repeatable, confirmation for some',
      'reveal: POST /v1/env/reveal, person, read',
      'plain: POST /v1/env/plain, person, read, expensive',
      'manifest: GET /v1/typegen/manifest, caller, list, hasEtag',
      'digests: POST /v1/env/digests, caller, list, expensive',
      'ruleset: POST /v1/env/ruleset, caller, read, metered, hasEtag',
      'report: POST /v1/env/report, caller, read, keyed',
      'history: POST /v1/env/history, caller, list, history, expensive',
      'plainHistory: POST /v1/env/plain-history, person, read, history, expensive',
      'recentHistory: POST /v1/history/recent, caller, list any, history, expensive',
      'restore: POST /v1/env/restore, caller, write, changes, writesVariables, history, repeatable',
      'rollCounts: POST /v1/env/roll-counts, caller, list, expensive',
      'rolls: POST /v1/rolls/list, caller, list any, expensive',
      'audit: POST /v1/audit/list, person, manage, expensive, repeatable',
      'changePropose: POST /v1/changes/propose, caller, write, changes, confirmation for some',
      'changeList: POST /v1/changes/list, caller, list any',
      'changeShow: POST /v1/changes/show, caller, list, expensive',
      'changeReveal: POST /v1/changes/reveal, person, read',
      'changeEdit: POST /v1/changes/edit, caller, write, changes, confirmation for some',
      'changeReview: POST /v1/changes/review, person, approve, repeatable',
      'changeApply: POST /v1/changes/apply, caller, write, changes',
      'changeWithdraw: POST /v1/changes/withdraw, caller, write, changes',
      'changeReschedule: POST /v1/changes/reschedule, caller, write, changes',
      'changePause: POST /v1/changes/pause, caller, write, changes',
      'changeResume: POST /v1/changes/resume, caller, write, changes',
      'changeSkip: POST /v1/changes/skip, caller, write, changes',
      'changeAbort: POST /v1/changes/abort, caller, write, changes',
      'projects: POST /v1/projects/list, caller, list any',
      'projectCreate: POST /v1/projects/create, caller, write, changes',
      'projectUpdate: POST /v1/projects/update, caller, write, changes, repeatable',
      'stageCreate: POST /v1/stages/create, caller, write, changes',
      'stageUpdate: POST /v1/stages/update, caller, write, changes, repeatable',
      'stageDelete: POST /v1/stages/delete, person, manage parent, confirmation',
      'projectDelete: POST /v1/projects/delete, person, manage parent, confirmation',
      'stageOrder: POST /v1/stages/order, caller, write, changes, repeatable',
      'declarationList: POST /v1/declarations/list, caller, list',
      'declarationSet: POST /v1/declarations/set, caller, write, changes, repeatable',
      'declarationDelete: POST /v1/declarations/delete, caller, write, changes, repeatable',
      'declarationDocument: POST /v1/declarations/document, caller, list',
      'declarationReplace: POST /v1/declarations/replace, caller, write, changes, repeatable',
      'declarationCheck: POST /v1/declarations/check, caller, list, expensive',
      'organization: POST /v1/organization/show, caller, none, repeatable',
      'organizationUpdate: POST /v1/organization/update, person, manage, repeatable',
      'organizationMembers: POST /v1/organization/members, person, none, repeatable',
      'signInRules: POST /v1/organization/sign-in/show, person, manage, repeatable',
      'signInRulesSet: POST /v1/organization/sign-in/set, owner, manage, confirmation, repeatable',
      'organizationDelete: POST /v1/organization/delete, owner, manage, confirmation',
      'usage: POST /v1/usage/show, caller, list any, expensive',
      'usageCallers: POST /v1/usage/callers, person, manage, expensive, repeatable',
      'attention: POST /v1/organization/attention, caller, list any, expensive',
      'search: POST /v1/env/search, caller, list any, expensive',
      'events: GET /v1/events, caller, list, streams',
      'accessList: POST /v1/access/list, person, manage, expensive, repeatable',
      'accessGrant: POST /v1/access/grant, person, manage, repeatable, confirmation for some',
      'accessRevoke: POST /v1/access/revoke, person, manage',
      'accessExplain: POST /v1/access/explain, person, list',
      'accessHolders: POST /v1/access/holders, person, manage, expensive, repeatable',
      'groups: POST /v1/groups/list, person, manage any, repeatable',
      'groupCreate: POST /v1/groups/create, person, manage',
      'groupUpdate: POST /v1/groups/update, person, manage, repeatable, confirmation for some',
      'groupDelete: POST /v1/groups/delete, person, manage',
      'groupMembers: POST /v1/groups/members, person, manage, repeatable, confirmation for some',
      'roles: POST /v1/roles/list, caller, none, repeatable',
      'roleSet: POST /v1/roles/set, person, manage, repeatable, confirmation for some',
      'roleDelete: POST /v1/roles/delete, person, manage',
      'stageProtect: POST /v1/stages/protect, person, manage, repeatable, confirmation for some',
      'whoami: GET /v1/whoami, caller, none, without organization',
      'tokenCreate: POST /v1/tokens/create, person, manage, confirmation for some',
      'tokenList: POST /v1/tokens/list, person, manage any, repeatable',
      'tokenRotate: POST /v1/tokens/rotate, person, manage any, confirmation for some',
      'tokenRevoke: POST /v1/tokens/revoke, person, manage any',
      'trustCreate: POST /v1/trusts/create, person, manage, confirmation for some',
      'trustList: POST /v1/trusts/list, person, manage any, repeatable',
      'trustUpdate: POST /v1/trusts/update, person, manage any, repeatable, confirmation for some',
      'trustDelete: POST /v1/trusts/delete, person, manage any',
      'trustTest: POST /v1/trusts/test, person, manage any, expensive, repeatable',
      'keyCreate: POST /v1/keys/create, person, manage, confirmation for some',
      'keyList: POST /v1/keys/list, person, manage any, repeatable',
      'keyRevoke: POST /v1/keys/revoke, person, manage any',
      'hookCreate: POST /v1/hooks/create, person, manage',
      'hookList: POST /v1/hooks/list, person, manage, repeatable',
      'hookUpdate: POST /v1/hooks/update, person, manage, repeatable',
      'hookRotate: POST /v1/hooks/rotate, person, manage',
      'hookDelete: POST /v1/hooks/delete, person, manage',
      'hookTest: POST /v1/hooks/test, person, manage, expensive',
      'hookDeliveries: POST /v1/hooks/deliveries, person, manage, repeatable',
      'hookRedeliver: POST /v1/hooks/redeliver, person, manage, expensive',
      'deviceStart: POST /v1/cli/device/start, none, none, without organization',
      'deviceComplete: POST /v1/cli/device/complete, provider, none, without organization',
      'deviceShow: POST /v1/cli/device/show, provider, none, without organization, repeatable',
      'deviceDeny: POST /v1/cli/device/deny, provider, none, without organization',
      'devicePoll: POST /v1/cli/device/poll, none, none, without organization',
      'tokenRefresh: POST /v1/cli/token/refresh, none, none, without organization',
      'logout: POST /v1/cli/logout, session, none, without organization',
      'sessionList: POST /v1/sessions/list, caller, none, repeatable',
      'sessionRevoke: POST /v1/sessions/revoke, caller, none, changes',
      'sessionConfirm: POST /v1/sessions/confirm, provider, none, confirmation, repeatable',
      'session: GET /v1/cli/session, session, none, without organization',
      'webSettings: GET /v1/web/settings, none, none, without organization',
      'webSignIn: POST /v1/web/sign-in, none, none, without organization',
      'webToken: POST /v1/web/token, none, none, without organization',
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
        '/v1/declarations/replace': 4_194_304,
        '/v1/declarations/check': 4_194_304,
        '/v1/changes/propose': 4_194_304,
        '/v1/changes/edit': 4_194_304,
        '/v1/trusts/test': 65_536,
      }
      const expected = special[path] ?? maxBytes
      expect(bodyBytes, path).toBe(method === 'GET' ? 0 : expected)
    }
  })
})

describe('a row', () => {
  test('needs no verb where no organization is named', () => {
    for (const [name, row] of rows.filter(([, each]) => !isScoped(each))) expect(row.verb, name).toBe('none')
  })

  test('can refuse where a machine could be identified, and where the organization is named', () => {
    for (const endpoint of Object.values(endpoints)) {
      const identifies = endpoint.auth !== 'none' && endpoint.auth !== 'provider'
      expect(errorsOf(endpoint).includes('FORBIDDEN'), endpoint.path).toBe(identifies || isScoped(endpoint))
    }
  })

  test('of a service token requires a project with a stage', () => {
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
      ownerCharacters: 256,
      pinnedSeeds: 1_000,
      ruleValues: 1_000,
      targetingRules: 100,
      targetingRulesBytes: 65_536,
      templateDepth: 8,
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
      exampleCharacters: 1_024,
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
      declarations: 10_000,
      declarationsBytes: 1_048_576,
      descriptionCharacters: 1_000,
      newProjectStages: 20,
      grants: 10_000,
      groups: 1_000,
      changedMembers: 1_000,
      groupMembers: 50_000,
      roles: 100,
      principalCharacters: 256,
      rotationDays: 3_650,
      rotationOverlapHours: 168,
      rotationOverlapHoursByDefault: 24,
      orderedStages: 1_000,
      valueBytes: 65_536,
      seedBytes: 1_024,
      entries: 1_000,
      stageVariables: 10_000,
      stageBytes: 16_777_216,
      requiringStages: 100,
      revealedVariables: 100,
      historyChanges: 200,
      historyChangesByDefault: 50,
      hookDeliveries: 100,
      hookFilters: 50,
      hookUrlCharacters: 2_000,
      hooks: 100,
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
      enumCharacters: 256,
      enumValues: 100,
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
