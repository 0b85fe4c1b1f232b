/** Texts of credentials: where they are valid, and what they may do there. */

export const labels = {
  lastUsed: 'Last used',
  never: 'Never',
  scope: 'Scope',
  scopes: { stage: 'One stage', project: 'One project', organization: 'Whole organization' },
  project: 'Project',
  stage: 'Stage',
  noMatch: 'None is for this project',
  noMatchText: 'Clear the filter to see those of other projects.',
  projectMissing: 'Choose a project.',
  stageMissing: 'Choose a stage.',
  choose: 'Choose…',
  archived: (place: string) => `${place} (archived)`,
  role: 'Role',
  roleMissing: 'Choose a role with no more rights than you have there.',
  actions: 'Actions',
  saved: 'I saved it',
  createdBy: (who: string, day: string) => `Created by ${who} on ${day}`,
} as const
