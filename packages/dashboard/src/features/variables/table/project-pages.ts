/** The pages of a project: buttons of its table, items of its menu, and commands. */
import type { Project } from '@rollkey/sdk/core'
import { currentStages, useProjectWhere } from '../../../data/projects/queries.ts'
import { useMay } from '../../../session/permissions.ts'
import { IconCompare, IconDeclared, IconHistory, IconProtected } from '../../../ui/icons.ts'
import { labels } from './labels.ts'

const history = {
  to: './p/$projectSlug/history',
  label: labels.history,
  command: labels.showHistory,
  keys: 'g h',
  Icon: IconHistory,
  /** Whether it has a button, which is an item of the menu on a phone. Others are always items. */
  hasButton: true,
} as const
const compare = {
  to: './p/$projectSlug/compare',
  label: labels.compare,
  command: labels.compareStages,
  keys: 'g c',
  Icon: IconCompare,
  hasButton: true,
} as const
const declared = {
  to: './p/$projectSlug/declared',
  label: labels.declared,
  command: labels.showDeclared,
  keys: 'g d',
  Icon: IconDeclared,
  hasButton: false,
} as const
const access = {
  to: './p/$projectSlug/access',
  label: labels.access,
  command: labels.access,
  keys: 'g x',
  Icon: IconProtected,
  hasButton: false,
} as const

/** Returns whether the viewer manages the project or one of its stages. */
export function useManages(project: Project): boolean {
  const may = useMay()
  const { stages } = useProjectWhere(project, 'manage')
  return may('manage', { projectSlug: project.projectSlug }) || stages.length > 0
}

/** Returns the pages that the project has for the viewer. */
export function useProjectPages(project: Project) {
  const manages = useManages(project)
  const [, second] = currentStages(project)
  return [history, ...(second ? [compare] : []), declared, ...(manages ? [access] : [])]
}
