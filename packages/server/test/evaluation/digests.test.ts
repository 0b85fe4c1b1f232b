/** Tests what the digests of a stage cost the service. */
import { expect, test } from 'vitest'
import { Digests } from '../../src/evaluation/digests.ts'
import type { Keyring } from '../../src/crypto/keyring.ts'
import type { Stage } from '../../src/stages/stages.ts'
import { live, newNode, newStore, secret } from '../stages/node.ts'
import { silent } from '../storage/temporary.ts'

/** Computes digests that are the values, and notes the values. */
function newService(): { service: Digests; computed: string[] } {
  const computed: string[] = []
  const digesterOf: Keyring['digesterOf'] = () => (value) => {
    computed.push(value.toString())
    return value.toString()
  }
  return { service: new Digests({ keyring: { digesterOf } as Keyring, log: silent }), computed }
}

test('a second list computes only the digests of what changed', async () => {
  const { sql, clock } = await newStore()
  const node = await newNode(sql, clock)
  const { service, computed } = newService()
  const list = async () => service.list((await node.stages.current(live)) as Stage, true)
  await node.write({ entries: [secret('A', 'one'), secret('B', 'two'), secret('C', 'three')] })
  const first = await list()
  expect(computed).toEqual(['one', 'two', 'three'])
  expect(await list()).toEqual(first)
  expect(computed).toHaveLength(3)
  await node.write({ entries: [secret('B', 'four')] })
  const { variables } = await list()
  expect(variables.map(({ digests }) => digests.value)).toEqual(['one', 'four', 'three'])
  expect(computed.slice(3)).toEqual(['four'])
})
