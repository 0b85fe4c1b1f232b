import { Accordion, ActionIcon, Group, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useMay, useMayAnywhere } from '../../session/permissions.ts'
import { useIsManager, useScope, whoamiQuery } from '../../session/scope.ts'
import { useSettings } from '../../session/settings.ts'
import { ButtonLink } from '../../ui/buttons.tsx'
import { requestCommand } from '../../ui/commands.ts'
import { IconClose, IconMissing, IconSuccess } from '../../ui/icons.ts'
import { RollkeyCommand, RollkeyDownload } from '../../ui/copy.tsx'
import { Panel } from '../../ui/page.tsx'
import { invitationsQuery, membersQuery } from '../../data/members.ts'
import { protectCommand } from '../../data/projects/commands.ts'
import { currentStages, projectsQuery } from '../../data/projects/queries.ts'
import { clientSessionsQuery } from '../../data/sessions.ts'
import { serviceTokensQuery } from '../../data/service-tokens.ts'
import { labels } from './labels.ts'
import classes from './overview.module.css'

const { steps: words } = labels

interface Step {
  readonly key: 'project' | 'variable' | 'login' | 'token' | 'invite' | 'protect'
  readonly isDone: boolean
}

interface FirstStepsProps {
  /** Whether the next step is open, and those that are done are listed too. */
  readonly isOpen: boolean
  /**
   * Content in their place when they are hidden.
   * @default null
   */
  readonly children?: ReactNode
}

/** Returns whether the person has hidden what has this key, in this browser, and what hides it. */
export function useHidden(what: string): readonly [boolean, () => void] {
  const { orgSlug, userId } = useScope()
  const [isHidden, setHidden] = useLocalStorage({
    key: `rollkey-${what}-hidden:${orgSlug}:${userId ?? ''}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  })
  return [isHidden, () => setHidden(true)]
}

/** Guides newcomers until all steps are done or hidden in this browser. */
export function FirstSteps({ isOpen, children = null }: FirstStepsProps) {
  const [isHidden, hide] = useHidden('first-steps')
  return isHidden ? children : <OpenSteps isOpen={isOpen} onHide={hide} />
}

interface OpenStepsProps extends Pick<FirstStepsProps, 'isOpen'> {
  readonly onHide: () => void
}

function OpenSteps({ isOpen, onHide }: OpenStepsProps) {
  const steps = useSteps()
  const first = steps?.find(({ isDone }) => !isDone)
  if (!steps || !first) return null
  const done = steps.filter(({ isDone }) => isDone).length
  return (
    <Panel
      title={words.title}
      lead={words.progress(done, steps.length)}
      actions={
        <ActionIcon aria-label={words.hide} onClick={onHide}>
          <IconClose />
        </ActionIcon>
      }
    >
      {/* The key opens the next step when one is done. */}
      <Accordion
        key={first.key}
        defaultValue={isOpen ? first.key : null}
        order={3}
        classNames={{ item: classes['step'] ?? '' }}
      >
        {(isOpen ? steps : steps.filter(({ isDone }) => !isDone)).map(({ key, isDone }) => {
          const Content = contents[key]
          return (
            <Accordion.Item key={key} value={key}>
              <Accordion.Control icon={<StepIcon isDone={isDone} />}>
                {words[key].title}
                <VisuallyHidden>, {isDone ? words.done : words.open}</VisuallyHidden>
              </Accordion.Control>
              <Accordion.Panel>
                <Stack gap="sm">
                  <Content />
                </Stack>
              </Accordion.Panel>
            </Accordion.Item>
          )
        })}
      </Accordion>
    </Panel>
  )
}

interface StepIconProps {
  readonly isDone: boolean
}

function StepIcon({ isDone }: StepIconProps) {
  return isDone ? <IconSuccess size={20} className={classes['clear'] ?? ''} /> : <IconMissing size={20} />
}

/** Returns the steps that the person may do, and whether each is done; undefined until that is known. */
function useSteps(): readonly Step[] | undefined {
  const scope = useScope()
  const organizationId = scope.organization?.id
  const { data: self } = useQuery(whoamiQuery(scope))
  const may = useMay()
  const production = useProduction()
  const mayWrite = useMayAnywhere('write')
  const mayManage = useMayAnywhere('manage')
  const mayInvite = useIsManager() && organizationId !== undefined
  const projects = useQuery(projectsQuery(scope))
  const sessions = useQuery(clientSessionsQuery(scope, false))
  const tokens = useQuery({ ...serviceTokensQuery(scope), enabled: mayManage })
  const members = useQuery({ ...membersQuery(organizationId ?? ''), enabled: mayInvite })
  const invitations = useQuery({ ...invitationsQuery(organizationId ?? ''), enabled: mayInvite })
  const queries = [projects, sessions, ...(mayManage ? [tokens] : []), ...(mayInvite ? [members, invitations] : [])]
  if (!self || queries.some(({ isPending }) => isPending)) return undefined

  const { data: found = [] } = projects
  const hasVariables = found.some(({ stages }) => stages.some(({ variables }) => variables > 0))
  const isAlone = mayInvite && (members.data?.length ?? 0) < 2
  const hasTeam = !isAlone || (invitations.data?.length ?? 0) > 0
  return [
    ...(may('write') ? [{ key: 'project', isDone: found.length > 0 } as const] : []),
    ...(mayWrite ? [{ key: 'variable', isDone: hasVariables } as const] : []),
    { key: 'login', isDone: (sessions.data?.length ?? 0) > 0 },
    ...(mayManage ? [{ key: 'token', isDone: (tokens.data?.length ?? 0) > 0 } as const] : []),
    ...(mayInvite ? [{ key: 'invite', isDone: hasTeam } as const] : []),
    // Alone, a person would wait for their own approval.
    ...(production.length > 0 && !isAlone
      ? [{ key: 'protect', isDone: production.some(({ stage }) => stage.isProtected) } as const]
      : []),
  ]
}

/** Returns the production stages that the person may protect, of projects whose table has their menus. */
function useProduction() {
  const { data: projects = [] } = useQuery(projectsQuery(useScope()))
  const may = useMay()
  return projects
    .filter(({ stages }) => stages.some(({ variables }) => variables > 0))
    .flatMap((project) => currentStages(project).map((stage) => ({ project, stage })))
    .filter(
      ({ project: { projectSlug }, stage: { stageSlug, isProduction } }) =>
        isProduction && may('manage', { projectSlug, stageSlug }),
    )
}

const contents: Readonly<Record<Step['key'], () => ReactNode>> = {
  project: CreateProject,
  variable: AddVariable,
  login: LogIn,
  token: CreateToken,
  invite: Invite,
  protect: Protect,
}

function CreateProject() {
  const { orgSlug } = useScope()
  return (
    <>
      <Text>{words.project.text}</Text>
      <Group>
        <ButtonLink to="/o/$orgSlug/projects" params={{ orgSlug }} onClick={() => requestCommand('new-project')}>
          {words.project.action}
        </ButtonLink>
      </Group>
    </>
  )
}

function AddVariable() {
  const scope = useScope()
  const { orgSlug } = scope
  const { publicUrl } = useSettings()
  const { data: [project] = [] } = useQuery(projectsQuery(scope))
  const place = `--project ${project?.projectSlug ?? 'shop'} --stage ${project?.stages[0]?.stageSlug ?? 'dev'}`
  return (
    <>
      <Text>{words.variable.text}</Text>
      {project && (
        <Group>
          <ButtonLink to="/o/$orgSlug/p/$projectSlug" params={{ orgSlug, projectSlug: project.projectSlug }}>
            {words.variable.action(project.name)}
          </ButtonLink>
        </Group>
      )}
      <Text>{words.variable.cli}</Text>
      <RollkeyCommand
        what={words.variable.command}
        lines={[`init --url ${publicUrl} ${place}`, 'set DATABASE_URL --create']}
      />
    </>
  )
}

function LogIn() {
  const { publicUrl } = useSettings()
  return (
    <>
      <Text>{words.login.text}</Text>
      <RollkeyDownload what={words.login.command} lines={[`login --url ${publicUrl}`]} />
      <Group>
        <ButtonLink to="/device" variant="default">
          {words.login.action}
        </ButtonLink>
      </Group>
    </>
  )
}

function CreateToken() {
  const { orgSlug } = useScope()
  return (
    <>
      <Text>{words.token.text}</Text>
      <RollkeyCommand what={words.token.command} lines={['token create my-app --stage dev']} />
      <Group>
        <ButtonLink to="/o/$orgSlug/settings/tokens" params={{ orgSlug }}>
          {words.token.action}
        </ButtonLink>
      </Group>
    </>
  )
}

function Invite() {
  const { orgSlug } = useScope()
  return (
    <>
      <Text>{words.invite.text}</Text>
      <Group>
        <ButtonLink to="/o/$orgSlug/members" params={{ orgSlug }}>
          {words.invite.action}
        </ButtonLink>
      </Group>
    </>
  )
}

function Protect() {
  const { orgSlug } = useScope()
  const [first] = useProduction()
  if (!first) return null
  const { projectSlug, name } = first.project
  return (
    <>
      <Text>{words.protect.text}</Text>
      <Group>
        <ButtonLink
          to="/o/$orgSlug/p/$projectSlug"
          params={{ orgSlug, projectSlug }}
          onClick={() => requestCommand(protectCommand(projectSlug, first.stage.stageSlug))}
        >
          {words.protect.action(first.stage.name, name)}
        </ButtonLink>
      </Group>
    </>
  )
}
