/** Texts of a roll that pages of several features show. */
import type { PinCounts } from '@rollkey/contract/rules'
import { countText, percentText, unbroken } from '../../lib/numbers.ts'
import type { Verdict } from '../../data/rolls/fit.ts'
import { type Sides, sideText, targetsText, noPins } from '../../data/rolls/labels.ts'
import { inStages } from '../../data/variables/labels.ts'

export const labels = {
  chance: 'Chance of A',
  chanceSlider: (label: string) => `${label}, by the slider`,
  chancePercent: (label: string) => `${label} in percent`,
  othersOnly: 'Pins and rules come first: this is for all others.',
  usualChances: (label: string) => `Usual values: ${label}`,
  chanceSaved: (name: string, percent: string, stage: string) => `Chance of ${name} is now ${percent} in ${stage}`,
  save: (stages: Parameters<typeof inStages>[0]) => `Save to ${inStages(stages)}`,
  choiceNotice: 'Your choice is still here; saving it asks first.',
  a: 'A',
  b: 'B',
  verdicts: {
    unusual: 'Unusual for the chance',
    fits: 'Fits the chance',
    differs: 'Doesn’t fit the chance',
    unknown: 'Too few to compare',
  } satisfies Record<Verdict, string>,
  shortVerdicts: {
    unusual: 'Unusual',
    fits: 'Fits',
    differs: 'Doesn’t fit',
    unknown: 'Too few',
  } satisfies Record<Verdict, string>,
  /** What a verdict means. */
  verdictTexts: {
    unusual: 'The share of A is unusual for the chance. That may be a coincidence: look again when more are served.',
    fits: 'The share of A is close to the chance, within the usual deviation.',
    differs:
      'The share of A is too far from the chance to be a coincidence. The page of the roll says what to look for.',
    unknown: 'Too few were served since the chance last changed. The share of A can’t be judged yet.',
  } satisfies Record<Verdict, string>,
  stopTitle: (name: string, stage: string) => `Stop ${name} in ${stage}?`,
  stopText: (chance: number, pinned: PinCounts = noPins, ruleCount = 0, sides?: Sides, isFinal = false) => {
    const targets = targetsText(pinned, ruleCount)
    const isAll = chance === 1 && targets === ''
    const now = `Currently ${isAll ? 'everyone gets' : `${unbroken(percentText(chance))} get`} ${sideText('a', sides)}`
    const clears =
      targets === '' ? '' : ` This also removes ${targets}.${isFinal ? '' : ' Undo and the history bring them back.'}`
    return `Everyone gets ${sideText('b', sides)} from the next request on. ${now}${targets === '' ? '' : `, after ${targets}`}.${clears}`
  },
  /** `until`: the end of the freeze of the stage; undefined: it has none now. */
  stopFinal: (stage: string, approvals: number, until: string | undefined) => {
    const waits = [
      ...(approvals > 0 ? [`needs ${approvals === 1 ? 'an approval' : `${countText(approvals)} approvals`}`] : []),
      ...(until === undefined ? [] : [`waits for the end of the freeze (${until})`]),
    ]
    return `You cannot undo this at once: raising the chance again in ${stage} ${waits.join(' and ')}.`
  },
  stopButton: 'Stop roll',
  stopped: (name: string, stage: string, withdrawn: number) =>
    withdrawn === 0
      ? `Stopped ${name} in ${stage}: everyone gets B`
      : `Stopped ${name} in ${stage}, and withdrew ${withdrawn === 1 ? 'the plan' : `${countText(withdrawn)} plans`}`,
  resumed: (isResumed: boolean) =>
    isResumed ? 'Its rollout goes on' : 'Its rollout stays paused: resume it under Planned changes',
}
