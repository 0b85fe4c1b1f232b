/** Texts of the list of projects, and of the actions of projects and stages. */
import { countText } from '../../lib/numbers.ts'

export const labels = {
  title: 'Projects',
  lead: 'Secrets and feature variables, by project and stage.',
  search: 'Find a project or variable',
  showArchived: (count: number) => `Show archived (${count})`,
  name: 'Name',
  stages: 'Stages',
  noStages: 'None yet',
  variables: 'Variables',
  missing: 'Missing in production',
  missingIn: (count: number, stageName: string) => `${countText(count)} missing in ${stageName}`,
  lastChange: 'Last change',
  archived: 'Archived',
  none: 'No projects yet',
  noneText: 'Create one here, or set a variable from the CLI: the project and stage are created with it.',
  noneForYou: 'You don’t have access to any project. Ask an owner or admin of the organization for access.',
  commands: 'the commands that set the first variable',

  foundVariables: 'Found variables',
  variable: 'Variable',
  project: 'Project',
  kind: 'Kind',
  found: (count: number, hasMore: boolean) => {
    if (hasMore) return `More than ${countText(count)} variables. Enter more of the name.`
    if (count === 0) return 'No variable has this in its name. Archived stages are not searched.'
    return count === 1 ? '1 variable' : `${countText(count)} variables`
  },

  newProject: 'New project',
  create: 'Create project',
  created: (name: string) => `Created ${name}`,
  stagesUse:
    'A stage is an environment, such as dev or prod. Production stages ask before quick changes, and show missing variables in red once half are set.',
  addStage: 'Add stage',
  stageNumber: (at: number) => `Stage ${at}`,
  sameStage: 'Two stages have this slug. Change one.',
  production: 'Production',
  productionOf: (stage: string) => `Production: ${stage}`,
  moveUp: (stage: string) => `Move ${stage} up`,
  moveDown: (stage: string) => `Move ${stage} down`,
  leaveOut: (stage: string) => `Leave out ${stage}`,

  more: 'More',
  menu: (name: string) => `More: ${name}`,
} as const
