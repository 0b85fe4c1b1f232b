/** Texts of the overview. */
import type { RecentRevision } from '@rollkey/sdk/core'
import { list } from '../../lib/list.ts'
import { countText, percentText, unbroken } from '../../lib/numbers.ts'
import type { Part } from '../../ui/sentence.tsx'

const verbs = { created: 'added', updated: 'changed', deleted: 'deleted', restored: 'restored' } as const

/** Returns what follows the person in a sentence such as "Ada changed API_KEY and 2 more". */
export function changeText({ changes, changeCount, revision }: RecentRevision): readonly Part[] {
  const [first, second] = changes
  if (changeCount === 0) return [revision === 1 ? 'created the stage' : 'saved the stage']
  if (first === undefined) return [`${verbs.updated} ${variablesText(changeCount)}`]
  const { chance, chanceBefore } = first
  if (changeCount === 1 && chance !== undefined && chanceBefore !== undefined && chance !== chanceBefore) {
    const transition = ` from ${unbroken(percentText(chanceBefore))} to ${unbroken(percentText(chance))}`
    return ['set the chance of ', { name: first.name }, transition]
  }
  const isRestore = changes.some(({ change }) => change === 'restored')
  if (isRestore && changeCount > 1) return [`restored an earlier state of ${variablesText(changeCount)}`]
  const effects = new Set(changes.map(({ change }) => change))
  const verb = `${effects.size === 1 ? verbs[first.change] : verbs.updated} `
  if (changeCount === 1) return [verb, { name: first.name }]
  if (changeCount === 2 && second) return [verb, { name: first.name }, ' and ', { name: second.name }]
  return [verb, { name: first.name }, ` and ${countText(changeCount - 1)} more`]
}

function variablesText(count: number): string {
  return count === 1 ? '1 variable' : `${countText(count)} variables`
}

/** Below this count, a percentage says less than the count itself. */
const minCompared = 100

export const labels = {
  title: 'Overview',

  attention: {
    title: 'Needs attention',
    clear: 'All clear',
    clearText: (withTokens: boolean) =>
      withTokens
        ? 'Production stages in use have every variable, no secret is due for rotation, rolls get their split, and no service token expires soon.'
        : 'Production stages in use have every variable, no secret is due for rotation, and rolls get their split.',
    missing: (count: number, place: string) =>
      `${variablesText(count)} ${count === 1 ? 'is' : 'are'} missing in ${place}`,
    overdue: (count: number, place: string) =>
      `${variablesText(count)} ${count === 1 ? 'is' : 'are'} due for another value in ${place}`,
    rotate: (name: string) => `Rotate ${name}…`,
    moreNames: (count: number) => (count > 0 ? ` and ${countText(count)} more` : ''),
    missingStatus: 'Missing in production',
    changes: {
      review: (reason: string) => `“${reason}” waits for your review`,
      apply: (reason: string) => `“${reason}” is approved and waits until you apply it`,
      applyFreely: (reason: string) => `“${reason}” needs no approval and waits until you apply it`,
      edit: (reason: string, by: readonly string[]) => `${list.format(by)} requested changes to “${reason}”`,
      outOfDate: (reason: string) => `The change “${reason}” is out of date and cannot be applied`,
      paused: (reason: string) => `The rollout “${reason}” is paused`,
      failed: (reason: string) => `The change “${reason}” could not be applied at its time`,
    },
    ended: {
      applied: (who: string, reason: string) => `${who} applied your change “${reason}”`,
      withdrawn: (who: string, reason: string) => `${who} withdrew your change “${reason}”`,
      aborted: (who: string, reason: string) => `${who} aborted your rollout “${reason}”`,
    },
    service: 'The service',
    hideEnded: (reason: string) => `Hide: ${reason}`,
    misfit: 'serves another split than its chance',
    token: (name: string, when: string) => `${name} expires ${when}`,
    tokenDetail: 'Service token. Replace it before then, or its apps are refused.',
    replicaReplaced: 'Another Rollkey writes to the replica, so your changes here are only on one disk',
    replicaBehind: (duration: string) => `The replica has been behind for ${duration}`,
    replicaDetail:
      'If this disk is lost, changes that the replica lacks are lost too. Tell the operator: “npx @rollkey/server replica status” says why.',
    hookOff: (name: string) => `The webhook ${name} was switched off: its messages did not arrive`,
    hookFailing: (name: string) => `The messages of the webhook ${name} do not arrive`,
    more: (count: number) => `Show ${countText(count)} more`,
  },

  changes: {
    title: 'Recent changes',
    none: 'No changes yet. They appear here, with who made them and when.',
  },

  rolls: {
    title: 'Rolls in progress',
    all: 'All rolls',
    none: 'No rolls are in progress. A roll gives one value to a share of users and another to the rest.',
    chance: 'Chance of A',
    servedA: 'Served A',
    notServed: 'Nothing yet',
  },

  evaluations: {
    title: 'Evaluations',
    usage: 'Usage',
    total: 'Last 30 days',
    series: 'Evaluations',
    plot: 'Evaluations by day, 30 days',
    before: (total: number, before: number) => {
      if (before === 0) return 'None in the 30 days before'
      const change = Math.round((100 * (total - before)) / before)
      if (total === before) return 'As many as in the 30 days before'
      if (before < minCompared || change > 100) {
        return `${total > before ? 'Up' : 'Down'} from ${countText(before)} in the 30 days before`
      }
      if (change === 0) return 'About as many as in the 30 days before'
      return `${countText(Math.abs(change))}% ${change > 0 ? 'more' : 'fewer'} than in the 30 days before`
    },
    month: 'Plan, this month',
    none: 'No evaluations yet. They appear here within seconds.',
  },

  projects: {
    title: 'Projects',
    all: 'All projects',
    none: 'No projects yet',
    noneText: 'A project holds the variables of an application, with a value for each stage.',
    create: 'Go to projects',
    noStages: 'No stages yet',
    production: 'production',
    variables: variablesText,
  },

  tour: {
    title: 'A tour of the demo',
    /** The stop of the changes while some wait for the viewer. */
    reviewing: (count: number) => ({
      title: count === 1 ? 'A change waits for you' : `${countText(count)} changes wait for you`,
      text: `Look at what is proposed for production, and approve ${count === 1 ? 'it' : 'them'}.`,
    }),
    hide: 'Hide the tour',
    stops: {
      table: {
        title: 'Values side by side',
        text: 'The pencil changes a value in its cell, a click flips a switch, and u undoes it.',
      },
      review: {
        title: 'Changes of production',
        text: 'Look at what is proposed, who approves it, and what was applied.',
      },
      rollout: { title: 'A rollout at 25%', text: 'It climbs by itself. See who gets what, pause it or stop it.' },
      access: {
        title: 'A protected production',
        text: 'People and a group have roles on it; all others lose its values.',
      },
      usage: { title: 'A month of traffic', text: 'By day, by stage, and by the credential of each app.' },
    },
  },
  steps: {
    title: 'First steps',
    progress: (done: number, all: number) => `${done} of ${all} done`,
    hide: 'Hide first steps',
    done: 'done',
    open: 'to do',
    project: {
      title: 'Create a project',
      text: 'A project holds the variables of an application, with a value for each stage.',
      action: 'New project',
    },
    variable: {
      title: 'Add your first variable',
      text: 'Add it in the project, with a value for each stage.',
      cli: 'The CLI does it too. It prompts for the value without showing it:',
      command: 'the commands that set a variable',
      action: (project: string) => `Open ${project}`,
    },
    login: {
      title: 'Install the CLI and log in',
      text: 'The CLI shows a code, which you approve in the browser.',
      command: 'the command that logs in',
      action: 'Enter a code',
    },
    token: {
      title: 'Create a service token',
      text: 'Apps and CI jobs read their variables with a service token. Create one per app, with the narrowest scope:',
      command: 'the command that creates a service token',
      action: 'Go to service tokens',
    },
    invite: {
      title: 'Invite a teammate',
      text: 'Create an invitation link and share it.',
      action: 'Go to members',
    },
    protect: {
      title: 'Protect production',
      text: 'Choose who sees and changes the values of a production stage, and how many approvals a change needs.',
      action: (stage: string, project: string) => `Protect ${stage} of ${project}`,
    },
  },
} as const
