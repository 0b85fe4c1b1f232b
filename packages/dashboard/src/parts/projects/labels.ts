/** Texts about a project or a stage that pages of several features show. */
import { countText } from '../../lib/numbers.ts'

export const labels = {
  name: 'Name',
  productionNotice: (stage: string) =>
    `${stage} is a production stage. Applications get the change with their next request.`,
  isProduction: (stage: string) => `${stage} is a production stage.`,
  productionLater: (stage: string) =>
    `${stage} is a production stage. Applications get the change at its time, without another question.`,
  nameMissing: 'Enter a name.',
  notFound: 'Project not found',
  notFoundText: (slug: string) =>
    `This organization has no project with the slug ${slug}. It may have been deleted, or the address may be wrong.`,
  seeProjects: 'See the projects',
  stageNotFound: (project: string, slug: string) => `${project} has no stage with the slug ${slug}`,
  stageNotFoundText: 'It may have been deleted, or the address may be wrong. Choose another stage above.',
  protected: (approvals: number, frozenUntil: string | undefined) =>
    [
      'Protected: only those who were added to this stage can read or change it',
      ...(approvals > 0
        ? [`Changes need ${approvals === 1 ? '1 approval' : `${countText(approvals)} approvals`}`]
        : []),
      ...(frozenUntil === undefined ? [] : [`Frozen until ${frozenUntil}`]),
    ].join('. '),
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
  production: 'Production',
} as const
