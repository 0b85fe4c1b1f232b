import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { githubJob, jobSettings } from './trust-job.ts'

const trust = {
  id: 'tru_8KqW2s1nYh3vBc7d',
  issuer: 'https://token.actions.githubusercontent.com',
  claims: [
    { name: 'repository_id', value: '424242' },
    { name: 'environment', value: 'production' },
  ],
  projectSlug: 'shop',
  stageSlug: 'prod',
}
const url = 'https://rollkey.example.com'

test('the job of a trust is that of the documentation', () => {
  const page = readFileSync(new URL('../../../../../docs/ci/github-actions.md', import.meta.url), 'utf8')
  expect(page).toContain(githubJob(trust, url).replaceAll(/: "(.*)"$/gm, ': $1'))
})

test('a job takes every place literally', () => {
  expect(githubJob({ ...trust, stageSlug: 'null' }, url)).toContain('ROLLKEY_STAGE: "null"')
})

test('a trust for every stage states none', () => {
  const everywhere = { ...trust, projectSlug: undefined, stageSlug: undefined }
  expect(jobSettings(everywhere, url)).toEqual([
    ['ROLLKEY_URL', url],
    ['ROLLKEY_TRUST', trust.id],
  ])
})
