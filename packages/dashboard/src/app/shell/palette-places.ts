/** Projects and stages in the palette: their pages, and what their menus do. */
import type { Project, Stage } from '@rollkey/sdk/core'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import {
  newStageCommand,
  placeCommand,
  protectCommand,
  rulesCommand,
  stageCommand,
  stageFocus,
} from '../../data/projects/commands.ts'
import { currentStages, useProjectsByUse } from '../../data/projects/queries.ts'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { focusOn } from '../../ui/focus.ts'
import {
  type Icon,
  IconArchive,
  IconCompare,
  IconDelete,
  IconEdit,
  IconHistory,
  IconProduction,
  IconProject,
  IconProtected,
  IconStage,
  IconSwitch,
} from '../../ui/icons.ts'
import { labels } from '../labels.ts'
import { runAt } from './use-global-commands.ts'

const { palette: words, commands } = labels

export interface Item {
  /** Unique in the list. */
  readonly id: string
  readonly group: string
  readonly label: string
  /** Its project or group, which the search finds too. */
  readonly context?: string
  /** What the search finds besides. */
  readonly otherNames?: string
  readonly icon: Icon
  readonly keys?: string | undefined
  /** Whether only a search finds it, because there may be many of its kind. */
  readonly isFoundOnly?: boolean
  /** Whether it answers the query as a whole, and so precedes what only matches. */
  readonly isAnswer?: boolean
  /** Absent: choosing it continues the search with `query`. */
  readonly run?: () => void
  readonly query?: string
}

/** Returns the other names of what has a label of this application, so not those of what people named. */
export function otherNamesOf(label: string): string {
  const [start = ''] = Object.keys(words.otherNames)
    .filter((each) => label.startsWith(each))
    .toSorted((one, other) => other.length - one.length)
  return words.otherNames[start] ?? ''
}

/** Returns the projects and stages, and what the viewer may do to them. */
export function usePlaceItems(query: string): readonly Item[] {
  const { orgSlug } = useScope()
  const navigate = useNavigate()
  const actionsIn = useProjectActions()
  const { projectSlug: shownProject } = useParams({ strict: false })
  const { stage: shownStage } = useSearch({ strict: false })
  return useProjectsByUse().flatMap((project): Item[] => {
    const { projectSlug, name } = project
    const params = { orgSlug, projectSlug }
    const table: Item = {
      id: `project/${projectSlug}`,
      group: words.projects,
      label: name,
      otherNames: words.projectNames,
      icon: IconProject,
      run: () => void navigate({ to: '/o/$orgSlug/p/$projectSlug', params }),
    }
    const current = currentStages(project)
    const stages = stageItems(project, orgSlug, navigate, projectSlug === shownProject ? shownStage : undefined)
    const compare: Item = {
      id: `compare/${projectSlug}`,
      group: commands.pages,
      label: words.compare(name),
      otherNames: otherNamesOf(words.compareAny),
      icon: IconCompare,
      run: () => void navigate({ to: '/o/$orgSlug/p/$projectSlug/compare', params, search: {} }),
    }
    const others = [
      ...namedPair(query, current).map((search) => ({
        id: `compare/${projectSlug}/${search.from}/${search.to}`,
        group: words.stages,
        label: words.comparePair(search.from, search.to),
        context: name,
        isAnswer: true,
        icon: IconCompare,
        run: () => void navigate({ to: '/o/$orgSlug/p/$projectSlug/compare', params, search }),
      })),
      ...(current.length > 1 ? [compare] : []),
      ...stages,
      ...actionsIn(project),
    ]
    return [table, ...others.map((item) => ({ ...item, isFoundOnly: true }))]
  })
}

/** Returns the two stages that a query is about, such as "staging prod"; none: it is about something else. */
function namedPair(query: string, stages: readonly Stage[]): readonly { from: string; to: string }[] {
  const parts = query.toLowerCase().split(/\s+/)
  const slugs = parts
    .map((part) => stages.find(({ stageSlug, name }) => [stageSlug, name.toLowerCase()].includes(part))?.stageSlug)
    .filter((slug) => slug !== undefined)
  const [from, to] = slugs
  const isPair = from !== undefined && to !== undefined && from !== to && parts.length === 2
  return isPair ? [{ from, to }] : []
}

/** Returns a function that returns what the viewer may do to a project and its stages, where no page offers it yet. */
function useProjectActions(): (project: Project) => readonly Item[] {
  const { orgSlug } = useScope()
  const navigate = useNavigate()
  const may = useMay()
  return (project) => {
    const { projectSlug, name } = project
    const open = (): Promise<void> => navigate({ to: '/o/$orgSlug/p/$projectSlug', params: { orgSlug, projectSlug } })
    const action = (id: string, label: string, icon: Icon, otherNames = otherNamesOf(label)): Item => ({
      id,
      group: commands.create,
      label,
      context: name,
      otherNames,
      icon,
      run: () => void runAt(id, open()),
    })
    const mayWrite = may('write', { projectSlug })
    const mayDelete = may('manage')
    const { projectNames } = words
    const stages = currentStages(project)
    return [
      ...(mayWrite ? [action(newStageCommand(projectSlug), words.newStage(name), IconStage)] : []),
      ...stages
        // What has rules is what a search for them means, and then what should have them.
        .toSorted((one, other) => guardRank(other) - guardRank(one))
        .flatMap((stage) => (may('manage', { projectSlug, stageSlug: stage.stageSlug }) ? guards(project, stage) : []))
        .map(({ id, label, names }) => action(id, label, IconProtected, names)),
      ...(mayWrite
        ? [
            action(placeCommand('rename', projectSlug), words.rename(name), IconEdit, projectNames),
            action(placeCommand('archive', projectSlug), words.archive(name), IconArchive, projectNames),
          ]
        : []),
      ...(mayDelete ? [action(placeCommand('delete', projectSlug), words.delete(name), IconDelete, projectNames)] : []),
      ...stages.flatMap((stage, at) =>
        stageActions(project, stage, {
          mayWrite: may('write', { projectSlug, stageSlug: stage.stageSlug }),
          mayDelete: may('manage', { projectSlug }),
          hasLeft: mayWrite && at > 0,
          hasRight: mayWrite && at < stages.length - 1,
        }).map(({ id, label, icon }) => action(id, label, icon, words.stageNames)),
      ),
    ]
  }
}

function guardRank({ isProtected, isProduction }: Stage): number {
  return 2 * Number(isProtected ?? false) + Number(isProduction ?? false)
}

interface Guard {
  readonly id: string
  readonly label: string
  readonly names?: string
}

/** Returns the commands of the protection of a stage. */
function guards({ projectSlug }: Project, { stageSlug, name, isProtected }: Stage): readonly Guard[] {
  const id = protectCommand(projectSlug, stageSlug)
  const names = words.rulesNames
  if (!isProtected) return [{ id, label: words.protect(name), names }]
  const rules = { id: rulesCommand(projectSlug, stageSlug), label: words.rules(name), names }
  return [rules, { id, label: words.unprotect(name) }]
}

interface StageRights {
  readonly mayWrite: boolean
  readonly mayDelete: boolean
  /** Whether the viewer may swap it with the stage before it. */
  readonly hasLeft: boolean
  readonly hasRight: boolean
}

/** Returns what the menu of a stage does to the stage. */
function stageActions(
  { projectSlug }: Project,
  { stageSlug, name, isProduction }: Stage,
  { mayWrite, mayDelete, hasLeft, hasRight }: StageRights,
): readonly Pick<Item, 'id' | 'label' | 'icon'>[] {
  const place = [projectSlug, stageSlug] as const
  const mark = isProduction ? words.unmark(name) : words.mark(name)
  return [
    ...(mayWrite
      ? [
          { id: placeCommand('rename', ...place), label: words.rename(name), icon: IconEdit },
          { id: placeCommand('archive', ...place), label: words.archive(name), icon: IconArchive },
          { id: stageCommand('mark', ...place), label: mark, icon: IconProduction },
        ]
      : []),
    ...(hasLeft ? [{ id: stageCommand('left', ...place), label: words.moveLeft(name), icon: IconSwitch }] : []),
    ...(hasRight ? [{ id: stageCommand('right', ...place), label: words.moveRight(name), icon: IconSwitch }] : []),
    ...(mayDelete ? [{ id: placeCommand('delete', ...place), label: words.delete(name), icon: IconDelete }] : []),
  ]
}

/** Returns the stages of a project, each as its column in the table, and after these their histories: of the shown stage, then of production. */
function stageItems(
  project: Project,
  orgSlug: string,
  navigate: ReturnType<typeof useNavigate>,
  shown: string | undefined,
): readonly Item[] {
  const { projectSlug, name } = project
  const params = { orgSlug, projectSlug }
  const stages = currentStages(project).map(({ stageSlug, name: stage }): Item => ({
    id: `column/${projectSlug}/${stageSlug}`,
    group: words.stages,
    label: stage,
    context: name,
    otherNames: words.stageNames,
    icon: IconStage,
    run: () => {
      void navigate({ to: '/o/$orgSlug/p/$projectSlug', params }).then(() => focusOn(stageFocus(stageSlug)))
    },
  }))
  const rankOf = ({ stageSlug, isProduction }: Stage): number => (stageSlug === shown ? 0 : isProduction ? 1 : 2)
  const byRank = currentStages(project).toSorted((one, other) => rankOf(one) - rankOf(other))
  const histories = byRank.map(({ stageSlug, name: stage }): Item => {
    const search = { stage: stageSlug }
    return {
      id: `stage/${projectSlug}/${stageSlug}`,
      group: words.stages,
      label: stage,
      context: words.historyIn(name),
      otherNames: words.historyNames,
      icon: IconHistory,
      run: () => void navigate({ to: '/o/$orgSlug/p/$projectSlug/history', params, search }),
    }
  })
  return [...stages, ...histories]
}
