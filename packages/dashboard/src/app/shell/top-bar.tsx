import type { Project, Stage } from '@rollkey/sdk/core'
import { ActionIcon, Menu, Text, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useMatches, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useScope } from '../../session/scope.ts'
import { IconDocumentation, IconDown, IconSearch, IconUpDown } from '../../ui/icons.ts'
import { Keys } from '../../ui/keys.tsx'
import { labels } from '../labels.ts'
import { chosenStage, currentStages, projectsQuery, useProjectsByUse } from '../../data/projects/queries.ts'
import { proposalQuery } from '../../data/proposals/queries.ts'
import { useRecordProject } from '../../session/recent-projects.ts'
import { useDocsAddress } from './docs-address.ts'
import classes from './top-bar.module.css'

interface TopBarProps {
  readonly onSearch: () => void
}

const searchKeys = 'mod+k'

/** Shows the breadcrumbs and the search above every page. */
export function TopBar({ onSearch }: TopBarProps) {
  const { orgSlug } = useScope()
  return (
    <header className={classes['bar']}>
      <Breadcrumbs key={orgSlug} />
      <UnstyledButton className={classes['search'] ?? ''} aria-haspopup="dialog" onClick={onSearch}>
        <IconSearch />
        <span className={classes['word']}>{labels.search}</span>
        <span className={classes['keys']} aria-hidden>
          <Keys>{searchKeys}</Keys>
        </span>
      </UnstyledButton>
      <ActionIcon
        component="a"
        className={classes['docs'] ?? ''}
        href={useDocsAddress()}
        target="_blank"
        rel="noreferrer"
        aria-label={labels.documentation}
        title={labels.documentation}
      >
        <IconDocumentation />
      </ActionIcon>
    </header>
  )
}

/** Shows organization, project, page, stage and variable of the address. */
function Breadcrumbs() {
  const { orgSlug, organization } = useScope()
  const { projectSlug } = useParams({ strict: false })
  return (
    <nav aria-label={labels.breadcrumbs} className={classes['breadcrumbs']}>
      <ol className={classes['list']}>
        <Crumb>
          <Link to="/o/$orgSlug" params={{ orgSlug }} activeOptions={exactly} className={classes['link'] ?? ''}>
            {organization?.name ?? orgSlug}
          </Link>
        </Crumb>
        {projectSlug !== undefined && <ProjectCrumb projectSlug={projectSlug} />}
        <PageCrumbs />
        {projectSlug !== undefined && <StageCrumbs projectSlug={projectSlug} />}
      </ol>
    </nav>
  )
}

/** Only the page itself is current, not those below it. */
const exactly = { exact: true, includeSearch: false }

interface CrumbProps {
  /**
   * Whether it names the project, which stays on a phone.
   * @default false
   */
  readonly isProject?: boolean
  readonly children: ReactNode
}

function Crumb({ isProject = false, children }: CrumbProps) {
  return (
    <li className={classes['crumb']} data-project={isProject || undefined}>
      {children}
    </li>
  )
}

/** Returns the names of the page and of those above it, as the routes have them. */
function usePageNames(): readonly string[] {
  return useMatches({
    select: (matches) => matches.flatMap(({ staticData: { crumb } }) => (crumb === undefined ? [] : [crumb])),
    structuralSharing: true,
  })
}

/** Returns the title of the proposed change of the address, which its page reads. Undefined: the address has none. */
function useChangeTitle(): string | undefined {
  const { changeId = '' } = useParams({ strict: false })
  const { project = '', stage = '' } = useSearch({ strict: false })
  const place = { projectSlug: project, stageSlug: stage }
  return useQuery({ ...proposalQuery(useScope(), place, changeId), enabled: false }).data?.reason
}

function PageCrumbs() {
  const names = usePageNames()
  const title = useChangeTitle()
  return (title === undefined ? names : [...names.slice(0, -1), title]).map((name) => (
    <Crumb key={name}>
      <Text component="span" inherit className={classes['text'] ?? ''}>
        {name}
      </Text>
    </Crumb>
  ))
}

interface ProjectCrumbProps {
  readonly projectSlug: string
}

const maxProjects = 12

function ProjectCrumb({ projectSlug }: ProjectCrumbProps) {
  const { orgSlug } = useScope()
  const navigate = useNavigate()
  const project = useProject(projectSlug)
  useRecordProject(orgSlug, project?.projectSlug)
  const projects = useProjectsByUse().slice(0, maxProjects)
  return (
    <Crumb isProject>
      <Link
        to="/o/$orgSlug/p/$projectSlug"
        params={{ orgSlug, projectSlug }}
        activeOptions={exactly}
        className={classes['link'] ?? ''}
      >
        {project?.name ?? projectSlug}
      </Link>
      <Switcher label={labels.switchProject} face={<IconUpDown size={14} />}>
        <Menu.RadioGroup
          value={projectSlug}
          onChange={(slug) =>
            void navigate({ to: '/o/$orgSlug/p/$projectSlug', params: { orgSlug, projectSlug: slug } })
          }
        >
          {projects.map((each) => (
            <Menu.RadioItem key={each.projectSlug} value={each.projectSlug} closeMenuOnClick className="wrapping">
              {each.name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item onClick={() => void navigate({ to: '/o/$orgSlug/projects', params: { orgSlug } })}>
          {labels.allProjects}
        </Menu.Item>
      </Switcher>
    </Crumb>
  )
}

interface SwitcherProps {
  /** The accessible name. Absent: the text of the button. */
  readonly label?: string
  readonly face: ReactNode
  /** The menu's items. */
  readonly children: ReactNode
}

function Switcher({ label, face, children }: SwitcherProps) {
  return (
    <Menu position="bottom-start" withInitialFocusPlaceholder={false} width={240}>
      <Menu.Target>
        <UnstyledButton className={classes['switcher'] ?? ''} aria-label={label}>
          {face}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown className={classes['menu'] ?? ''}>{children}</Menu.Dropdown>
    </Menu>
  )
}

/** Shows the name of the variable and switches stages, on pages about one stage. */
function StageCrumbs({ projectSlug }: ProjectCrumbProps) {
  const isAboutStage = useMatches({ select: (matches) => matches.some(({ staticData }) => staticData.isAboutStage) })
  const stageInAddress = useSearch({ strict: false, select: ({ stage }) => stage })
  const name = useSearch({ strict: false, select: (search) => search.name })
  const project = useProject(projectSlug)
  const stages = project ? [...currentStages(project), ...archivedStages(project)] : []
  const stage = chosenStage(stages, stageInAddress)
  if (!isAboutStage || !stage) return null
  return (
    <>
      <Crumb>
        <StageSwitch stages={stages} stage={stage} />
      </Crumb>
      {name !== undefined && (
        <Crumb>
          <Text component="span" inherit className={`mono ${classes['text']}`}>
            {name}
          </Text>
        </Crumb>
      )}
    </>
  )
}

interface StageSwitchProps {
  readonly stages: readonly Stage[]
  readonly stage: Stage
}

function StageSwitch({ stages, stage }: StageSwitchProps) {
  const navigate = useNavigate()
  return (
    <Switcher
      label={labels.switchStage(stage.name)}
      face={
        <>
          <span className={classes['text']}>{stage.name}</span>
          <IconDown size={14} />
        </>
      }
    >
      <Menu.RadioGroup
        value={stage.stageSlug}
        onChange={(slug) => void navigate({ to: '.', search: (search) => ({ ...search, stage: slug }) })}
      >
        {stages.map(({ stageSlug, name, archivedAtMs }) => (
          <Menu.RadioItem key={stageSlug} value={stageSlug} closeMenuOnClick className="wrapping">
            {archivedAtMs === undefined ? name : labels.archived(name)}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </Switcher>
  )
}

function archivedStages({ stages }: Project): readonly Stage[] {
  return stages.filter(({ archivedAtMs }) => archivedAtMs !== undefined)
}

/** Returns the project with the slug; undefined while it is unknown. */
function useProject(projectSlug: string): Project | undefined {
  const { data } = useQuery(projectsQuery(useScope()))
  return data?.find((project) => project.projectSlug === projectSlug)
}
