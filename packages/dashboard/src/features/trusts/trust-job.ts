import type { Trust } from '@rollkey/sdk/core'
import { trustPresets } from '@rollkey/contract/rules'
import { labels } from './labels.ts'

type OfTrust = Pick<Trust, 'id' | 'issuer' | 'claims' | 'projectSlug' | 'stageSlug'>

const github = trustPresets.find(({ id }) => id === 'github')

/** Whether the tokens come from GitHub Actions. */
export function isOfGithub({ issuer }: Pick<Trust, 'issuer'>): boolean {
  return issuer === github?.issuer
}

/** Returns the settings of a job that uses a trust. Without a project and stage, `rollkey.json` has them. */
export function jobSettings({ id, projectSlug, stageSlug }: OfTrust, url: string): readonly [string, string][] {
  const settings = { ROLLKEY_URL: url, ROLLKEY_TRUST: id, ROLLKEY_PROJECT: projectSlug, ROLLKEY_STAGE: stageSlug }
  return Object.entries(settings).filter((each): each is [string, string] => each[1] !== undefined)
}

/** Returns a job of GitHub Actions that uses a trust, as docs/ci/github-actions.md has it. */
export function githubJob(trust: OfTrust, url: string): string {
  const environment = trust.claims.find(({ name }) => name === 'environment')?.value
  return labels.use.github.job(jobSettings(trust, url), environment)
}
