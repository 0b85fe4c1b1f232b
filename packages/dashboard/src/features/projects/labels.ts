/** The words of the list of projects, and of what is done with a project or a stage. */
export const labels = {
  more: 'More',
  menu: (name: string) => `More: ${name}`,
  rename: 'Rename',
  renameTitle: (name: string) => `Rename ${name}`,
  name: 'Name',
  nameText: "Display name. The slug used by the CLI doesn't change.",
  archive: 'Archive',
  archiveTitle: (name: string) => `Archive ${name}?`,
  archiveText: {
    project: 'Archived projects are hidden and read-only. Apps can still read them. You can restore it at any time.',
    stage: 'Archived stages are hidden and read-only. Apps can still read them. You can restore it at any time.',
  },
  unarchive: 'Restore from archive',
  unarchiveTitle: (name: string) => `Restore ${name}?`,
  unarchiveText: (what: 'project' | 'stage') => `This ${what} can be changed again.`,
} as const
