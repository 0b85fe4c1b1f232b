/** Tests OpenFeature's evaluation.feature with its OFREP provider and with Rollkey's, on the service. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect, OpenFeature } from '../../../openfeature/test/ofrep/server-provider.mjs'
import { RollkeyProvider } from '../../../openfeature/src/index.ts'
import { roll } from '../../testkit/entries.ts'
import { pathOf } from '../../testkit/ofrep.ts'
import { newTenant, useTestEnv, write, type TestTenant } from '../../testkit/test-env.ts'
import { expectScenario, scenarios } from './feature.ts'

const testEnv = useTestEnv()
let tenant: TestTenant

/** The flags of the suite: rolls that give everyone A, because only rolls have named variants. */
function flag(
  name: string,
  declaredType: string,
  a: readonly [label: string, value: string],
  b: typeof a,
  more = {},
): object {
  const [labels, values] = [{ a: a[0], b: b[0] }, [a[1], b[1]] as const]
  return { ...roll(name, 1, ...values), declaredType, labels, ...more }
}

const template = JSON.stringify({ showImages: true, title: 'Check out these pics!', imagesPerPage: 100 })
const isInternal = {
  fn: { equals: 'Sulisław' },
  ln: { equals: 'Świętopełk' },
  age: { equals: 29 },
  customer: { equals: false },
}
const flags = [
  flag('boolean-flag', 'boolean', ['on', 'true'], ['off', 'false']),
  flag('string-flag', 'string', ['greeting', 'hi'], ['parting', 'bye']),
  flag('integer-flag', 'int64', ['ten', '10'], ['one', '1']),
  flag('float-flag', 'float', ['half', '0.5'], ['tenth', '0.1']),
  flag('object-flag', 'json', ['template', template], ['empty', '{}']),
  flag('wrong-flag', 'string', ['one', 'uno'], ['two', 'dos']),
  flag('context-aware', 'string', ['internal', 'INTERNAL'], ['external', 'EXTERNAL'], {
    chance: 0,
    rules: [{ when: isInternal, then: 'a' }],
  }),
]

beforeAll(async () => {
  tenant = await newTenant(testEnv)
  await write(testEnv, tenant, flags)
})
afterAll(() => OpenFeature.clearProviders())

test('the suite has 13 scenarios', () => {
  expect(scenarios()).toHaveLength(13)
})

describe('the OFREP provider', () => {
  test.each(scenarios())('$name', async (scenario) => {
    const client = await connect(`${testEnv.app.url}${pathOf(tenant.at)}`, [
      ['Authorization', `Bearer ${tenant.token}`],
    ])
    await expectScenario(scenario, client)
  })
})

describe('the provider of Rollkey', () => {
  test.each(scenarios())('$name', async (scenario) => {
    const { orgSlug: org, projectSlug: project, stageSlug: stage } = tenant.at
    const options = { url: testEnv.app.url, org, project, stage, token: tenant.token }
    await OpenFeature.setProviderAndWait('feature', new RollkeyProvider(options))
    await expectScenario(scenario, OpenFeature.getClient('feature'))
  })
})
