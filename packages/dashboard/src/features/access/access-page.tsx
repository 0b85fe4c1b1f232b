import type { Project } from '@rollkey/sdk/core'
import { Button } from '@mantine/core'
import type { Place } from '@rollkey/contract/rules'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useCommands } from '../../ui/commands.ts'
import { IconAdd, IconInfo } from '../../ui/icons.ts'
import { LoadError, RowsSkeleton } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { useMay } from '../../session/permissions.ts'
import { currentStages } from '../../data/projects/queries.ts'
import { WithProject } from '../../parts/projects/with-project.tsx'
import type { AccessSearch } from './access-search.ts'
import { AccessMatrix, type Filter } from './access-matrix.tsx'
import { ExplainDialog } from './explain-dialog.tsx'
import { GrantDrawer, type GrantTarget } from './grant-drawer.tsx'
import { labels } from './labels.ts'
import { RequireVerb } from '../../parts/access/require-verb.tsx'
import { type Access, useOrganizationAccess, useProjectAccess } from './use-access.ts'

const words = labels.access

/** Shows who may do what in a project, and lets those who manage it change that. */
export function AccessPage() {
  return <WithProject>{(project) => <AccessOf key={project.projectSlug} project={project} />}</WithProject>
}

interface AccessOfProps {
  readonly project: Project
}

function AccessOf({ project }: AccessOfProps) {
  const may = useMay()
  const { projectSlug } = project
  const stage = currentStages(project).find(({ stageSlug }) => may('manage', { projectSlug, stageSlug }))
  const managed =
    may('manage', { projectSlug }) || !stage ? { projectSlug } : { projectSlug, stageSlug: stage.stageSlug }
  const address = useSearch({ from: '/signed-in/o/$orgSlug/p/$projectSlug/access' })
  const { search = '' } = address
  const navigate = useNavigate({ from: '/o/$orgSlug/p/$projectSlug/access' })
  const onSearch = (text: string): void =>
    void navigate({ search: text === '' ? {} : { search: text }, replace: true, resetScroll: false })
  const isStage = project.stages.some(({ stageSlug }) => stageSlug === address.stage)
  const requested = { projectSlug, ...(isStage && { stageSlug: address.stage }) }
  const { opened, setOpened } = useOpened(address, requested, () => onSearch(search))
  return (
    <Page
      title={words.title}
      width="full"
      lead={words.lead(project.name)}
      actions={may('manage', managed) && <Actions place={managed} onOpen={setOpened} />}
    >
      <RequireVerb verb="manage" at={managed} what={words.manage}>
        <ProjectMatrix project={project} filter={{ search, onSearch }} opened={opened} onOpen={setOpened} />
      </RequireVerb>
    </Page>
  )
}

/** Shows who may do what in the whole organization and in its projects. */
export function OrganizationAccessPage() {
  const mayManage = useMay()('manage')
  const address = useSearch({ from: '/signed-in/o/$orgSlug/members/access' })
  const { search = '' } = address
  const navigate = useNavigate({ from: '/o/$orgSlug/members/access' })
  const onSearch = (text: string): void =>
    void navigate({ search: text === '' ? {} : { search: text }, replace: true, resetScroll: false })
  const { opened, setOpened } = useOpened(address, {}, () => onSearch(search))
  return (
    <Page
      title={words.title}
      width="full"
      lead={words.organizationLead}
      actions={mayManage && <Actions place={{}} onOpen={setOpened} />}
    >
      <RequireVerb verb="manage" what={words.manage}>
        <OrganizationMatrix filter={{ search, onSearch }} opened={opened} onOpen={setOpened} />
      </RequireVerb>
    </Page>
  )
}

/** The open drawer: one that grants access, or one that explains it. */
type Opened = GrantTarget | 'explanation'

/** Returns the open drawer, which at first is the form that the address asks for, if the viewer may grant there. `onLeave`: removes that from the address. */
function useOpened({ grant: verb, person }: AccessSearch, place: Place, onLeave: () => void) {
  const [opened, setOpened] = useState<Opened>()
  const may = useMay()
  const requested = verb && may('manage', place) ? { place, person, verb } : undefined
  const change = (next: Opened | undefined): void => {
    setOpened(next)
    if (requested) onLeave()
  }
  return { opened: opened ?? requested, setOpened: change }
}

interface ActionsProps {
  /** Where to grant at first. */
  readonly place: Place
  readonly onOpen: (opened: Opened) => void
}

function Actions({ place, onOpen }: ActionsProps) {
  const grant = (): void => onOpen({ place })
  const explain = (): void => onOpen('explanation')
  useCommands([
    { id: 'grant', label: labels.grant.button, keys: 'n', icon: IconAdd, run: grant },
    { id: 'explain-access', label: labels.explain.title, icon: IconInfo, run: explain },
  ])
  return (
    <>
      <Button variant="default" onClick={explain}>
        {labels.explain.button}
      </Button>
      <Button leftSection={<IconAdd />} onClick={grant}>
        {labels.grant.button}
      </Button>
    </>
  )
}

interface MatrixProps {
  readonly filter: Filter
  readonly opened: Opened | undefined
  readonly onOpen: (opened: Opened | undefined) => void
}

function ProjectMatrix({ project, ...rest }: MatrixProps & AccessOfProps) {
  return <Content {...useProjectAccess(project)} {...rest} />
}

function OrganizationMatrix(props: MatrixProps) {
  return <Content {...useOrganizationAccess()} {...props} />
}

interface ContentProps extends MatrixProps {
  /** Undefined until it is known. */
  readonly access: Access | undefined
  readonly error: unknown
}

function Content({ access, error, filter, opened, onOpen }: ContentProps): ReactNode {
  const close = (): void => onOpen(undefined)
  return (
    <>
      <LoadError error={error} />
      {!access && !error && <RowsSkeleton rows={6} />}
      {access && <AccessMatrix access={access} filter={filter} onOpen={onOpen} />}
      {access && <GrantDrawer access={access} target={opened === 'explanation' ? undefined : opened} onClose={close} />}
      {access && <ExplainDialog access={access} opened={opened === 'explanation'} onClose={close} />}
    </>
  )
}
