/** Replaces {{placeholders}} in texts, and creates the tokens and codes that a case names. */
import { ownerToken, serviceTokenMakers } from './service-tokens.ts'
import { tokenMakers } from './tokens.ts'
import type { Scene } from './test-env.ts'
import { newUser } from '../../testkit/client.ts'

const named = /\{\{([A-Za-z0-9]+)\}\}/g
const repeated = /\{\{repeat:([^:]*):(\d+)\}\}/g

/** Functions that create all placeholders of the same login or code. */
const makers: readonly { readonly makes: readonly string[]; make(scene: Scene): Promise<void> }[] = [
  {
    makes: [
      'accessToken',
      'refreshToken',
      'accessTokenPrefixUppercased',
      'accessTokenWithStarInserted',
      'accessTokenMinusLastChar',
      'accessTokenAtExactExpiry',
    ],
    make: async (scene) => scene.setSession(await scene.app.client.login(scene.user)),
  },
  {
    makes: ['orgId'],
    async make(scene) {
      const { accessToken } = await scene.app.client.login(scene.user)
      scene.set('orgId', (await scene.app.client.must('session', {}, { token: accessToken })).orgId)
    },
  },
  {
    makes: ['accessTokenBeforeRefresh'],
    async make(scene) {
      const { accessToken, refreshToken } = await scene.app.client.login(scene.user)
      await scene.app.client.must('tokenRefresh', { refreshToken })
      scene.set('accessTokenBeforeRefresh', accessToken)
    },
  },
  {
    makes: ['expiredRefreshToken'],
    make: async (scene) => scene.set('expiredRefreshToken', (await scene.app.client.login(scene.user)).refreshToken),
  },
  {
    makes: ['revokedAccessToken', 'revokedRefreshToken'],
    async make(scene) {
      const { accessToken, refreshToken } = await scene.app.client.login(scene.user)
      await scene.app.client.must('logout', { refreshToken }, { token: accessToken })
      scene.set('revokedAccessToken', accessToken)
      scene.set('revokedRefreshToken', refreshToken)
    },
  },
  {
    makes: ['usedRefreshTokenPastLeeway', 'successorAccessToken', 'successorRefreshToken'],
    async make(scene) {
      const { refreshToken } = await scene.app.client.login(scene.user)
      const successor = await scene.app.client.must('tokenRefresh', { refreshToken })
      scene.set('usedRefreshTokenPastLeeway', refreshToken)
      scene.set('successorAccessToken', successor.accessToken)
      scene.set('successorRefreshToken', successor.refreshToken)
    },
  },
  {
    makes: ['usedRefreshTokenOfThisSession'],
    async make(scene) {
      const refreshToken = scene.get('refreshToken') ?? ''
      await scene.app.client.must('tokenRefresh', { refreshToken })
      scene.set('usedRefreshTokenOfThisSession', refreshToken)
    },
  },
  ...serviceTokenMakers,
  {
    makes: ['otherOrgAccessToken', 'otherOrgRefreshToken'],
    async make(scene) {
      const pair = await scene.app.client.login(newUser(scene.testEnv.b.slug))
      scene.set('otherOrgAccessToken', pair.accessToken)
      scene.set('otherOrgRefreshToken', pair.refreshToken)
    },
  },
  {
    makes: ['removedUserAccessToken', 'removedUserRefreshToken'],
    async make(scene) {
      const pair = await scene.app.client.login(scene.removedUser)
      scene.testEnv.provider.remove(scene.removedUser)
      scene.set('removedUserAccessToken', pair.accessToken)
      scene.set('removedUserRefreshToken', pair.refreshToken)
    },
  },
  {
    makes: ['deviceCode', 'userCode', 'userCodeLower', 'userCodeDashed', 'expiredUserCode'],
    async make(scene) {
      const { deviceCode, userCode } = await scene.app.client.must('deviceStart', {})
      scene.set('deviceCode', deviceCode)
      scene.set('userCode', userCode)
      scene.set('expiredUserCode', userCode)
      scene.set('userCodeLower', userCode.toLowerCase())
      scene.set('userCodeDashed', `${userCode.slice(0, 4)}-${userCode.slice(4)}`)
    },
  },
  {
    makes: ['approvedDeviceCodePast600s'],
    make: async (scene) =>
      scene.set('approvedDeviceCodePast600s', (await scene.app.client.approved(scene.user)).deviceCode),
  },
  {
    makes: ['exchangedDeviceCode', 'exchangedUserCode', 'exchangedDeviceCodeOlderThan600s'],
    async make(scene) {
      const { deviceCode, userCode } = await scene.app.client.approved(scene.user)
      await scene.app.client.must('devicePoll', { deviceCode })
      scene.set('exchangedDeviceCode', deviceCode)
      scene.set('exchangedDeviceCodeOlderThan600s', deviceCode)
      scene.set('exchangedUserCode', userCode)
    },
  },
]

/** Creates the tokens and codes that the case names, in the order in which it names them. */
export async function makeNamed(scene: Scene, text: string): Promise<void> {
  for (const [, name = ''] of text.matchAll(named)) {
    if (scene.get(name) === undefined) await makers.find(({ makes }) => makes.includes(name))?.make(scene)
  }
}

/** Signs the provider tokens that the case names. They are valid for a minute, so the clock must be moved first. */
export async function signNamed(scene: Scene, text: string): Promise<void> {
  const { provider, listenerUrl, b } = scene.testEnv
  for (const [, name = ''] of text.matchAll(named)) {
    if (scene.get(name) !== undefined || name === 'i' || name === 'jwtKidRandom') continue
    if (name === 'otherOrgIdpJwt') scene.set(name, await provider.tokenOf(newUser(b.slug)))
    else if (name === 'adminIdpJwt') scene.set(name, await ownerToken(scene, scene.org.slug))
    else {
      const make = tokenMakers[name]
      if (!make) throw new Error(`unknown placeholder {{${name}}} (expected one that cases.json lists)`)
      scene.set(name, await make(provider, newUser(scene.org.slug), listenerUrl))
    }
  }
}

export function fillText(scene: Scene, text: string): string {
  return text
    .replaceAll(repeated, (_, unit: string, times: string) => unit.repeat(Number(times)))
    .replaceAll(named, (whole, name: string) => scene.get(name) ?? whole)
}

/** Replaces placeholders in every string of a JSON value, including member names. */
export function fill<T>(scene: Scene, value: T): T {
  if (typeof value === 'string') return fillText(scene, value) as T
  if (Array.isArray(value)) return value.map((item: unknown) => fill(scene, item)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [fillText(scene, name), fill(scene, item)]),
  ) as T
}
