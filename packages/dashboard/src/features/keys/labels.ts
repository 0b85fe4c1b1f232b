/** Texts of the page of client keys. */
import type { StageSlugs } from '@rollkey/sdk/core'

export const labels = {
  title: 'Client keys',
  lead: 'For web and mobile apps. A client key reads only variables with visibility Client, and may be public.',
  manage: 'manage client keys',
  name: 'Name',
  stage: 'Stage',
  origins: 'Web pages',
  month: 'This month',
  apps: 'None, only apps',
  any: 'All',
  used: (used: string, max: string) => `${used} of ${max}`,
  none: 'No client keys yet',
  noneNext: 'Create one for a web page or an app. Give the variables it needs the visibility Client.',
  noneCommand: 'the command that creates a client key',
  noneCommandText: ({ projectSlug, stageSlug }: StageSlugs) =>
    `rollkey key create "Web shop" \\\n  --project ${projectSlug} --stage ${stageSlug} --origin https://shop.example.com`,
  create: {
    button: 'New client key',
    nameUse: 'What it is for, such as Web shop',
    nameMissing: 'Enter a name.',
    origins: 'Web pages that may use it',
    choices: { pages: 'Specific origins', any: 'All web pages', apps: 'No web pages (apps only)' },
    list: 'Origins',
    listUse: 'One per line, such as https://shop.example.com',
    listMissing: 'Enter at least one origin, such as https://shop.example.com, without a path.',
    evaluations: 'Evaluations per month',
    evaluationsUse:
      'Requests beyond this limit are refused, so that a copied key can’t use up your plan. Leave empty for the default.',
    evaluationsWrong: 'Enter a whole number of at least 1.',
    more: 'Limit',
    submit: 'Create client key',
    done: (name: string) => `Created the client key ${name}`,
  },
  show: {
    key: 'Client key',
    keyUse: 'Everyone can read it in the page or the app, so it is not a secret.',
    sees: 'This key reads the variables of its stage that have visibility Client.',
    use: 'Use it with an OpenFeature provider for OFREP:',
    purpose: 'use of the client key',
  },
  revoke: {
    what: (name: string) => `the client key ${name}`,
    text: 'Pages and apps with this key get their default values at once. Installed apps need an update to use another key.',
  },
} as const
