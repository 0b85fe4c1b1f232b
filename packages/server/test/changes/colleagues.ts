/** People who propose and review changes of one stage. */
import type { TestUser } from '../../testkit/provider.ts'
import type { TestEnv } from '../../testkit/test-env.ts'
import { prod, Scene } from '../access/scene.ts'

/** Calls about the stage prod as one person. */
export class Colleague {
  readonly scene: Scene
  readonly user: TestUser

  constructor(scene: Scene, user: TestUser) {
    this.scene = scene
    this.user = user
  }

  async call(name: Parameters<Scene['call']>[0], input: object = {}) {
    return this.scene.call(name, { ...prod, ...input }, await this.scene.tokenOf(this.user, true))
  }

  async must(name: Parameters<Scene['call']>[0], input: object = {}) {
    const { status, body } = await this.call(name, input)
    if (status !== 200) throw new Error(`${name}: ${JSON.stringify(body)}`)
    return body
  }

  async codeOf(name: Parameters<Scene['call']>[0], input: object = {}): Promise<string> {
    const { status, body } = await this.call(name, input)
    return status === 200 ? 'ok' : body.error.code
  }

  propose(input: object) {
    return this.must('changePropose', { reason: 'Because', ...input })
  }
}

/** Opens an organization in which Ada develops and Bob also approves. */
export async function open(testEnv: TestEnv) {
  const scene = await Scene.open(testEnv)
  const person = async (...roles: string[]): Promise<Colleague> => {
    const user = scene.member()
    for (const role of roles) await scene.grant(user, role, prod)
    return new Colleague(scene, user)
  }
  return { scene, ada: await person('developer'), bob: await person('releaser'), person }
}

export async function valueOf(someone: Colleague, name: string): Promise<unknown> {
  return (await someone.must('evaluate', { name })).value
}
