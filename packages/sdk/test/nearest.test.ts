import { expect, test } from 'vitest'
import { nearest } from '../src/index.ts'
import { openBench } from '../testkit/fetch.ts'

test.each([
  ['prd', ['prod', 'dev', 'staging'], ['prod']],
  ['porduction', ['production', 'preview'], ['production']],
  ['PROD', ['prod'], ['prod']],
  ['API_KEY', ['API_KEYS', 'APP_KEY', 'API_TOKEN', 'AP_KEY', 'AAPI_KEY'], ['API_KEYS', 'APP_KEY', 'AP_KEY']],
  ['x', ['y', 'z', 'long'], ['y', 'z']],
  ['database', ['cache', 'queue'], []],
  ['', [], []],
])('%s among %j is %j', (word, among, expected) => {
  expect(nearest(word, among)).toEqual(expected)
})

test('the error for a missing stage or project suggests similar slugs', async () => {
  const { client } = openBench({ variables: { A: 'a' } })
  const answers = [
    client.at({ stage: 'tets' }).pull(),
    client.at({ project: 'tset' }).list(),
    client.at({ stage: 'live' }).manifest(),
  ]
  const messages = await Promise.all(answers.map((answer) => answer.catch((error: Error) => error.message)))
  expect(messages).toEqual([
    'The project "test" has no stage "tets". Did you mean "test"?',
    'The organization "test" has no project "tset". Did you mean "test"?',
    'The project "test" has no stage "live". It has "test".',
  ])
  await expect(client.at({ stage: 'live' }).digests()).rejects.toMatchObject({ code: 'STAGE_NOT_FOUND' })
})
