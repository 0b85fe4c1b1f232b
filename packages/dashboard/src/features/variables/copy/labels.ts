/** Texts of copying variables between stages. */
import { limits } from '@rollkey/contract/rules'
import { countText } from '../../../lib/numbers.ts'

function variables(count: number): string {
  return count === 1 ? '1 variable' : `${countText(count)} variables`
}

function namesText([name = '', ...others]: readonly string[]): string {
  return others.length === 0 ? name : variables(others.length + 1)
}

export const labels = {
  notRead: 'The stages are still loading: try again in a moment.',
  tooMany: `At most ${countText(limits.entries)} variables are copied at once. Choose fewer.`,
  sharesSecrets: (count: number, from: string, to: string) =>
    `${to} gets ${count === 1 ? 'a secret' : `${countText(count)} secrets`} of ${from}: anyone who may read ${from} knows ${count === 1 ? 'it' : 'them'}.`,
  copy: (count: number, stage: string) => (count === 0 ? `Copy to ${stage}` : `Copy ${variables(count)} to ${stage}`),
  promote: (from: string, to: string) => `Promote ${from} → ${to}`,
  copied: (names: readonly string[], stage: string) => `Copied ${namesText(names)} to ${stage}`,
}
