import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { countText } from '../../lib/numbers.ts'
import { utcDayText } from '../../lib/time.ts'
import { useScope } from '../../session/scope.ts'
import { useSettings } from '../../session/settings.ts'
import { ButtonLink, TextLink } from '../../ui/buttons.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconProject } from '../../ui/icons.ts'
import { Name } from '../../ui/name.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Plot } from '../../ui/plot.tsx'
import { QueryPart } from '../../ui/loading.tsx'
import { RelativeTime, useNow } from '../../ui/time.tsx'
import { RowItem, RowList } from '../../ui/row-list.tsx'
import { SplitBar } from '../../ui/split-bar.tsx'
import { Stat } from '../../ui/description-list.tsx'
import { StatusDot } from '../../ui/status.tsx'
import { changedAtMs, currentStages, projectsQuery, stageName, useProjectsByUse } from '../../data/projects/queries.ts'
import { presentMonth, type Usage } from '../../data/usage/usage.ts'
import { AttentionPanel, ChangesPanel, WarningIcon } from './panels.tsx'
import { fitOf } from '../../data/rolls/fit.ts'
import { Side, useSides } from '../../parts/rolls/sides.tsx'
import { rollsQuery } from '../../data/rolls/queries.ts'
import type { ListedRoll, Project } from '@rollkey/sdk/core'
import { inProgress, recentEvaluations, recentUsageQuery } from '../../data/overview.ts'
import { DemoTour } from './demo-tour.tsx'
import { FirstSteps } from './first-steps.tsx'
import { labels } from './labels.ts'
import classes from './overview.module.css'
import { LimitBar } from '../../parts/usage/limit-bar.tsx'
import { labels as sharedLabels } from '../../data/rolls/labels.ts'
import { labels as rollLabels } from '../../parts/rolls/labels.ts'
import { evaluationDefinition } from '../../data/usage/labels.ts'

const maxRolls = 6
const maxProjects = 6

export function OverviewPage() {
  return (
    <Page title={labels.title}>
      <Parts />
    </Page>
  )
}

function Parts() {
  const { data: projects } = useQuery(projectsQuery(useScope()))
  const settings = useSettings()
  const isDemo = settings.provider === 'embedded' && settings.isDemo === true
  const isNew = projects?.every(({ stages }) => stages.every(({ variables }) => variables === 0)) === true
  if (projects?.length === 0) {
    return (
      <FirstSteps isOpen>
        <NoProjects />
      </FirstSteps>
    )
  }
  return (
    <>
      {isDemo && <DemoTour />}
      {isNew && <FirstSteps isOpen />}
      <AttentionPanel />
      {!isNew && !isDemo && <FirstSteps isOpen={false} />}
      <div className={classes['columns']}>
        <div className={classes['column']}>
          <ChangesPanel />
          <ProjectsPanel />
        </div>
        <div className={classes['column']}>
          <EvaluationsPanel />
          <RollsPanel />
        </div>
      </div>
    </>
  )
}

function NoProjects() {
  const { orgSlug } = useScope()
  return (
    <EmptyState
      icon={IconProject}
      title={labels.projects.none}
      action={
        <ButtonLink to="/o/$orgSlug/projects" params={{ orgSlug }} variant="default">
          {labels.projects.create}
        </ButtonLink>
      }
    >
      {labels.projects.noneText}
    </EmptyState>
  )
}

function RollsPanel() {
  const scope = useScope()
  const { orgSlug } = scope
  const query = useQuery({ ...rollsQuery(scope), select: inProgress })
  return (
    <Panel
      title={labels.rolls.title}
      lead={sharedLabels.servedDefinition}
      actions={
        <TextLink to="/o/$orgSlug/rolls" params={{ orgSlug }} size="sm">
          {labels.rolls.all}
        </TextLink>
      }
    >
      <QueryPart query={query}>
        {(rolls) =>
          rolls.length === 0 ? (
            <Text c="dimmed">{labels.rolls.none}</Text>
          ) : (
            <RowList label={labels.rolls.title}>
              {rolls.slice(0, maxRolls).map((roll) => (
                <RollRow key={JSON.stringify([roll.projectSlug, roll.stageSlug, roll.name])} roll={roll} />
              ))}
            </RowList>
          )
        }
      </QueryPart>
    </Panel>
  )
}

interface RollRowProps {
  readonly roll: ListedRoll
}

function RollRow({ roll }: RollRowProps) {
  const scope = useScope()
  const { data: projects = [] } = useQuery(projectsQuery(scope))
  const { projectSlug, stageSlug, name, chance, sinceChance } = roll
  const served = sinceChance.a + sinceChance.b
  const sides = useSides({ projectSlug, stageSlug }, name, roll.labels)
  return (
    <RowItem
      detail={
        <>
          {stageName(projects, projectSlug, stageSlug)}
          {sides && (
            <Group component="span" gap="xs">
              <Side side="a" sides={sides} /> <Side side="b" sides={sides} />
            </Group>
          )}
        </>
      }
      end={
        <span className={classes['shares']}>
          <span>{labels.rolls.chance}</span>
          <SplitBar share={chance} label={labels.rolls.chance} />
          <span>{labels.rolls.servedA}</span>
          {served === 0 ? (
            labels.rolls.notServed
          ) : (
            <SplitBar share={sinceChance.a / served} label={labels.rolls.servedA} />
          )}
        </span>
      }
      {...(fitOf(roll)?.verdict === 'differs' && { lead: <WarningIcon label={rollLabels.verdicts.differs} /> })}
    >
      <TextLink
        to="/o/$orgSlug/p/$projectSlug/roll"
        params={{ orgSlug: scope.orgSlug, projectSlug }}
        search={{ stage: stageSlug, name }}
        fw={500}
      >
        <Name>{name}</Name>
      </TextLink>
    </RowItem>
  )
}

function EvaluationsPanel() {
  const scope = useScope()
  const { orgSlug } = scope
  return (
    <Panel
      title={labels.evaluations.title}
      lead={evaluationDefinition}
      actions={
        <TextLink to="/o/$orgSlug/usage" params={{ orgSlug }} size="sm">
          {labels.evaluations.usage}
        </TextLink>
      }
    >
      <QueryPart query={useQuery(recentUsageQuery(scope))} rows={5}>
        {(usage) => <Evaluations usage={usage} />}
      </QueryPart>
    </Panel>
  )
}

interface EvaluationsProps {
  readonly usage: Usage
}

function Evaluations({ usage }: EvaluationsProps) {
  const nowMs = useNow()
  const { days, total, totalBefore } = useMemo(() => recentEvaluations(usage, nowMs), [usage, nowMs])
  const columns = useMemo(
    () => days.map(({ startMs, evaluations }) => ({ label: utcDayText(startMs), values: [evaluations] })),
    [days],
  )
  return (
    <>
      <Stat
        label={labels.evaluations.total}
        value={countText(total)}
        context={labels.evaluations.before(total, totalBefore)}
      />
      {total === 0 ? (
        <Text c="dimmed">{labels.evaluations.none}</Text>
      ) : (
        <Plot label={labels.evaluations.plot} series={[labels.evaluations.series]} columns={columns} isCompact />
      )}
      <LimitBar
        label={labels.evaluations.month}
        used={presentMonth(usage).evaluations}
        limit={usage.plan.evaluationsPerMonth}
        text={countText}
      />
    </>
  )
}

function ProjectsPanel() {
  const scope = useScope()
  const { orgSlug } = scope
  const projects = useProjectsByUse()
  return (
    <Panel
      title={labels.projects.title}
      actions={
        <TextLink to="/o/$orgSlug/projects" params={{ orgSlug }} size="sm">
          {labels.projects.all}
        </TextLink>
      }
    >
      <QueryPart query={useQuery(projectsQuery(scope))}>
        {() => (
          <RowList label={labels.projects.title}>
            {projects.slice(0, maxProjects).map((project) => (
              <ProjectRow key={project.projectSlug} project={project} />
            ))}
          </RowList>
        )}
      </QueryPart>
    </Panel>
  )
}

interface ProjectRowProps {
  readonly project: Project
}

function ProjectRow({ project }: ProjectRowProps) {
  const { orgSlug } = useScope()
  const { projectSlug, name, variables } = project
  const stages = currentStages(project)
  return (
    <RowItem
      lead={<IconProject />}
      detail={
        stages.length === 0 ? (
          labels.projects.noStages
        ) : (
          <Group component="span" gap="xs">
            {stages.map((stage) => (
              <Group key={stage.stageSlug} component="span" gap={4}>
                {stage.name}
                {stage.isProduction && <StatusDot status="production">{labels.projects.production}</StatusDot>}
              </Group>
            ))}
          </Group>
        )
      }
      end={
        <>
          {labels.projects.variables(variables)}
          <br />
          <RelativeTime ms={changedAtMs(project)} />
        </>
      }
    >
      <TextLink to="/o/$orgSlug/p/$projectSlug" params={{ orgSlug, projectSlug }} fw={500}>
        {name}
      </TextLink>
    </RowItem>
  )
}
