/** Creates the service tokens that cases name. */
import { newUser } from '../../testkit/client.ts'
import type { Scene } from './test-env.ts'

/** Returns a provider token of an owner of the organization. */
export function ownerToken({ testEnv: { provider } }: Scene, orgSlug: string): Promise<string> {
  const owner = newUser(orgSlug)
  provider.setRole(owner, 'owner')
  return provider.tokenOf(owner)
}

async function make(scene: Scene, more: object = {}, orgSlug = scene.org.slug): Promise<{ id: string; token: string }> {
  const token = await ownerToken(scene, orgSlug)
  return scene.app.client.must('tokenCreate', { orgSlug, name: 'hostile', ...more }, { token })
}

export const serviceTokenMakers = [
  {
    makes: ['serviceToken', 'serviceTokenWithStarInserted', 'serviceTokenAsAccessToken'],
    async make(scene: Scene): Promise<void> {
      const { token } = await make(scene)
      scene.set('serviceToken', token)
      scene.set('serviceTokenWithStarInserted', `${token.slice(0, 25)}*${token.slice(25)}`)
      scene.set('serviceTokenAsAccessToken', token.replace('svc_st_', 'svc_at_'))
    },
  },
  {
    makes: ['accessTokenAsServiceToken'],
    async make(scene: Scene): Promise<void> {
      const { accessToken } = await scene.app.client.login(scene.user)
      scene.set('accessTokenAsServiceToken', accessToken.replace('svc_at_', 'svc_st_'))
    },
  },
  {
    makes: ['narrowServiceToken'],
    async make(scene: Scene): Promise<void> {
      const reach = { projectSlug: scene.get('projectSlug'), stageSlug: scene.get('stageSlug'), readOnly: true }
      scene.set('narrowServiceToken', (await make(scene, reach)).token)
    },
  },
  {
    makes: ['revokedServiceToken'],
    async make(scene: Scene): Promise<void> {
      const { id, token } = await make(scene)
      const orgSlug = scene.org.slug
      await scene.app.client.must('tokenRevoke', { orgSlug, id }, { token: await ownerToken(scene, orgSlug) })
      scene.set('revokedServiceToken', token)
    },
  },
  {
    makes: ['otherOrgServiceTokenId'],
    make: async (scene: Scene): Promise<void> =>
      scene.set('otherOrgServiceTokenId', (await make(scene, {}, scene.testEnv.b.slug)).id),
  },
]
