/** Texts of the list of projects, and of the actions of projects and stages. */
import { countText } from '../../lib/numbers.ts'

const list = new Intl.ListFormat('en', { type: 'conjunction' })

export const labels = {
  productionNotice: (stage: string) =>
    `${stage} is a production stage. Applications get the change with their next request.`,
  productionLater: (stage: string) =>
    `${stage} is a production stage. Applications get the change at its time, without another question.`,
  title: 'Projects',
  place: (project: string, stages: readonly string[]) => `${project} / ${list.format(stages)}`,
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
  noneForYou: 'There is none that you may see. Ask an owner or admin of the organization for access.',
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

  nameMissing: 'Enter a name.',
  notFound: 'Project not found',
  notFoundText: (slug: string) =>
    `This organization has no project with the slug ${slug}. It may have been deleted, or the address may be wrong.`,
  seeProjects: 'See the projects',

  newProject: 'New project',
  create: { project: 'Create project', stage: 'Create stage' },
  created: (name: string) => `Created ${name}`,
  addStage: 'Add stage',
  stageNumber: (at: number) => `Stage ${at}`,
  sameStage: 'Two stages have this slug. Change one.',
  production: 'Production',
  productionOf: (stage: string) => `Production: ${stage}`,
  protected: (approvals: number, frozenUntil: string | undefined) =>
    [
      'Protected: takes reading and writing only from grants on this stage',
      ...(approvals > 0
        ? [`Changes need ${approvals === 1 ? '1 approval' : `${countText(approvals)} approvals`}`]
        : []),
      ...(frozenUntil === undefined ? [] : [`Frozen until ${frozenUntil}`]),
    ].join('. '),
  moveUp: (stage: string) => `Move ${stage} up`,
  moveDown: (stage: string) => `Move ${stage} down`,
  leaveOut: (stage: string) => `Leave out ${stage}`,

  more: 'More',
  menu: (name: string) => `More: ${name}`,
  rename: 'Rename',
  renameItem: { project: 'Rename project…', stage: 'Rename stage…' },
  renameTitle: (name: string) => `Rename ${name}`,
  nameText: 'Display name. The slug used by the CLI doesn’t change.',
  renamed: (before: string, name: string) => `Renamed ${before} to ${name}`,
  archive: 'Archive',
  archiveItem: { project: 'Archive project…', stage: 'Archive stage…' },
  archiveTitle: (name: string) => `Archive ${name}?`,
  archiveText: {
    project: 'Archived projects are hidden and read-only. Apps can still read them. You can restore it at any time.',
    stage: 'Archived stages are hidden and read-only. Apps can still read them. You can restore it at any time.',
  },
  archiveDone: (name: string) => `Archived ${name}`,
  unarchive: 'Restore from archive',
  unarchiveItem: 'Restore from archive…',
  unarchiveTitle: (name: string) => `Restore ${name}?`,
  unarchiveText: (what: 'project' | 'stage') => `This ${what} can be changed again.`,
  unarchiveDone: (name: string) => `Restored ${name}`,
  deleteItem: { project: 'Delete project…', stage: 'Delete stage…' },
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteText: {
    project:
      'Its stages, variables, history and service tokens are deleted for good, and apps that read them get errors. Usage and the audit log stay.',
    stage:
      'Its variables, history and service tokens are deleted for good, and apps that read them get errors. Usage and the audit log stay.',
  },
  deleteButton: (name: string) => `Delete ${name}`,
  deleted: (name: string) => `Deleted ${name}`,
} as const

/** Names a stage, a project, or the whole organization. */
export function placeName({
  projectSlug,
  stageSlug,
}: {
  projectSlug?: string | undefined
  stageSlug?: string | undefined
}): string {
  if (projectSlug === undefined) return 'the whole organization'
  return stageSlug === undefined ? projectSlug : `${projectSlug}/${stageSlug}`
}
