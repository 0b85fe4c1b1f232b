import type { Project, Stage, StageSlugs } from '@rollkey/sdk/core'
import type { Digested } from '@rollkey/contract'
import { endedSide } from '@rollkey/contract/rules'
import { Button, Menu, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ComponentProps, useRef, useState } from 'react'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { useSettings } from '../../session/settings.ts'
import { ButtonLink } from '../../ui/buttons.tsx'
import { useCommands } from '../../ui/commands.ts'
import { CodeSnippet } from '../../ui/copy.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Notice } from '../../ui/notice.tsx'
import { GuardedForm } from '../../ui/form.tsx'
import { IconDown, IconMissing, IconRoll, IconTime } from '../../ui/icons.ts'
import { Page, Panel, TabLink, TabLinks } from '../../ui/page.tsx'
import { useNow } from '../../ui/time.tsx'
import { LoadError, RowsSkeleton } from '../../ui/loading.tsx'
import { SplitBar } from '../../ui/split-bar.tsx'
import { currentStages } from '../../data/projects/queries.ts'
import { ProtectedMark } from '../../parts/projects/protected-mark.tsx'
import { WithProject } from '../../parts/projects/with-project.tsx'
import { PlannedChanges } from '../../parts/plans/planned-changes.tsx'
import { RampDrawer } from '../../parts/plans/ramp-drawer.tsx'
import { ChanceForm } from '../../parts/rolls/chance-form.tsx'
import { RecentChanges } from '../../parts/variables/recent-changes.tsx'
import { snippetsOf } from '../../parts/variables/snippets.ts'
import { StoredValues, useKnownValues } from '../../parts/variables/stored-values.tsx'
import { digestsQuery } from '../../data/variables/queries.ts'
import { chanceSentence } from '../../data/rolls/chance.ts'
import { DecisionPanel } from './decision-panel.tsx'
import { FitPanel } from './fit-panel.tsx'
import { labels } from './labels.ts'
import { rollsQuery } from '../../data/rolls/queries.ts'
import { askedOf, noTryInput, type TryInput } from './preview.ts'
import { isDone, listed, type PlacedRoll } from './roll-list.ts'
import classes from './rolls.module.css'
import { ServedSection } from './served-section.tsx'
import { useSides } from '../../parts/rolls/sides.tsx'
import { StopButton } from './roll-actions.tsx'
import { TrySection } from './try-section.tsx'
import { sideOfAll } from '../../data/rolls/targeting.ts'
import { ProductionMark } from '../../parts/projects/production-mark.tsx'
import { labels as proposalLabels } from '../../parts/plans/labels.ts'
import { labels as editorLabels } from '../../parts/variables/labels.ts'
import type { Sides } from '../../data/rolls/labels.ts'

const { roll: words } = labels

/** Shows a roll of a stage: its chance, its result for a user, and what was served. */
export function RollPage() {
  return <WithProject>{(project) => <RollOfProject project={project} />}</WithProject>
}

interface RollOfProjectProps {
  readonly project: Project
}

function RollOfProject({ project }: RollOfProjectProps) {
  const { stage: stageSlug = '', name = '' } = useSearch({ from: '/signed-in/o/$orgSlug/p/$projectSlug/roll' })
  const scope = useScope()
  const { projectSlug } = project
  const place = { projectSlug, stageSlug }
  const stage = project.stages.find((each) => each.stageSlug === stageSlug)
  const contents = useQuery({ ...digestsQuery(scope, place), enabled: stage !== undefined })
  const { data: all = [] } = useQuery(rollsQuery(scope))
  const may = useMay()
  const rolls = listed(all, [project]).filter((each) => each.name === name)
  const variable = contents.data?.variables.find((each) => each.name === name)
  if (stage && !contents.data) {
    const { error } = contents
    return (
      <Page title={name} isName>
        {error ? <LoadError error={error} /> : <RowsSkeleton rows={10} />}
      </Page>
    )
  }
  if (!stage || !contents.data || (variable?.chance === undefined && rolls.length === 0)) {
    return <NoRoll project={project} stageSlug={stageSlug} name={name} />
  }
  const isReadOnly = project.archivedAtMs !== undefined || stage.archivedAtMs !== undefined || !may('write', place)
  const { chance } = variable ?? {}
  return (
    <Page
      title={name}
      isName
      lead={variable?.description}
      actions={!isReadOnly && variable && <StopAction place={place} stage={stage} variable={variable} />}
    >
      <StageTabs project={project} shown={stage} name={name} rolls={rolls} />
      {variable && chance !== undefined ? (
        <RollInStage
          key={stageSlug}
          place={place}
          stage={stage}
          variable={variable}
          chance={chance}
          revision={contents.data.revision}
          rolls={rolls}
          isReadOnly={isReadOnly}
        />
      ) : (
        <Missing projectSlug={projectSlug} stage={stage} name={name} isTaken={variable !== undefined} />
      )}
    </Page>
  )
}

/** Stops the roll, unless everyone gets B already. */
function StopAction({ place, stage, variable }: ValuesPanelProps) {
  const { chance, rules } = variable
  if (chance === undefined || endedSide(variable) === 'b') return null
  const { name: stageName, isProduction, protection } = stage
  const roll = { ...variable, place, stageName, isProduction, protection, chance, ruleCount: rules?.length }
  return <StopButton roll={roll} />
}

interface NoRollProps {
  readonly project: Project
  readonly stageSlug: string
  readonly name: string
}

function NoRoll({ project, stageSlug, name }: NoRollProps) {
  return (
    <Page title={words.none} lead={words.noneText(name, stageSlug, project.name)}>
      <div>
        <ButtonLink from="/o/$orgSlug" to="./rolls">
          {words.seeRolls}
        </ButtonLink>
      </div>
    </Page>
  )
}

interface StageTabsProps {
  readonly project: Project
  readonly shown: Stage
  readonly name: string
  /** The roll in the stages that have it. */
  readonly rolls: readonly PlacedRoll[]
}

/** Links to the stages of the project, each with its chance. */
function StageTabs({ project, shown, name, rolls }: StageTabsProps) {
  const { projectSlug } = project
  const current = currentStages(project)
  const stages = current.includes(shown) ? current : [...current, shown]
  const navigate = useNavigate({ from: '/o/$orgSlug/p/$projectSlug/roll' })
  const step = (by: 1 | -1): void => {
    const next = stages[stages.indexOf(shown) + by]
    if (next) void navigate({ search: { stage: next.stageSlug, name } })
  }
  useCommands([
    { label: words.keys.previousStage, keys: '[', isKeyOnly: true, run: () => step(-1) },
    { label: words.keys.nextStage, keys: ']', isKeyOnly: true, run: () => step(1) },
  ])
  return (
    <TabLinks label={words.stages}>
      {stages.map((stage) => {
        const roll = rolls.find(({ stageSlug }) => stageSlug === stage.stageSlug)
        return (
          <TabLink
            key={stage.stageSlug}
            from="/o/$orgSlug"
            to="./p/$projectSlug/roll"
            params={{ projectSlug }}
            search={{ stage: stage.stageSlug, name }}
          >
            <span className={classes['tab']}>
              <span className={classes['stage']}>
                {stage.name} <ProtectedMark isProtected={stage.isProtected} protection={stage.protection} />{' '}
                <ProductionMark stage={stage} />
              </span>{' '}
              <Text component="span" size="sm" c="dimmed">
                {roll ? labels.split(roll.chance, sideOfAll(roll)) : words.missing}
              </Text>
            </span>
          </TabLink>
        )
      })}
    </TabLinks>
  )
}

interface MissingProps {
  readonly projectSlug: string
  readonly stage: Stage
  readonly name: string
  /** Whether another kind of variable has the name. */
  readonly isTaken: boolean
}

function Missing({ projectSlug, stage: { stageSlug, name: stageName }, name, isTaken }: MissingProps) {
  return (
    <EmptyState
      icon={IconMissing}
      title={isTaken ? words.takenTitle(name, stageName) : words.missingTitle(name, stageName)}
      action={
        <ButtonLink
          from="/o/$orgSlug"
          to="./p/$projectSlug"
          params={{ projectSlug }}
          search={{ variable: name, stage: stageSlug }}
        >
          {isTaken ? words.open(name) : words.add(stageName)}
        </ButtonLink>
      }
    >
      {isTaken ? words.takenText : words.missingText(stageName)}
    </EmptyState>
  )
}

interface RollInStageProps {
  readonly place: StageSlugs
  readonly stage: Stage
  readonly variable: Digested
  readonly chance: number
  /** The revision of the stage. */
  readonly revision: number
  readonly rolls: readonly PlacedRoll[]
  readonly isReadOnly: boolean
}

function RollInStage({ place, stage, variable, chance, revision, rolls, isReadOnly }: RollInStageProps) {
  const { name } = variable
  const listedRoll = rolls.find(({ stageSlug }) => stageSlug === stage.stageSlug)
  const sides = useSides(place, name, variable.labels)
  const mayRead = useMay()('read', place)
  const roll = { place, stage, variable, chance, sides }
  const [tried, setTried] = useState(noTryInput)
  return (
    <div className={classes['columns']}>
      <div className={classes['column']}>
        <Panel
          title={words.chance}
          lead={words.chanceHint}
          actions={!isReadOnly && <PlanMenu place={place} stage={stage} name={name} chance={chance} />}
        >
          {isReadOnly ? (
            <>
              <SplitBar share={chance} label={labels.chanceOfA} />
              <Text size="sm">{chanceSentence(chance, { sides })}</Text>
            </>
          ) : (
            <ChangeableChance {...{ place, stage, name, chance, revision }} targets={variable} />
          )}
        </Panel>
        <PlannedChanges place={place} name={name} />
        {listedRoll && <DoneNotice roll={listedRoll} sides={sides} />}
        <DecisionPanel roll={roll} revision={revision} isReadOnly={isReadOnly} />
        {listedRoll && <FitPanel roll={listedRoll} sides={sides} />}
        <ServedSection place={place} name={name} sides={sides} />
      </div>
      <div className={classes['column']}>
        {mayRead && <TrySection roll={roll} input={tried} onInput={setTried} />}
        <ValuesPanel place={place} stage={stage} variable={variable} />
        <Panel title={editorLabels.recentChanges}>
          <RecentChanges place={place} name={name} />
        </Panel>
        <UsePanel place={place} variable={variable} tried={tried} />
      </div>
    </div>
  )
}

/** Changes the chance on the page. A key leads to its number, which the next keys replace. */
function ChangeableChance(props: ComponentProps<typeof ChanceForm>) {
  const part = useRef<HTMLDivElement>(null)
  const focus = (): void => {
    const number = part.current?.querySelector<HTMLInputElement>('input:not([type=hidden])')
    number?.focus()
    number?.select()
  }
  useCommands([{ label: labels.rolls.changeChance, keys: 'e', isKeyOnly: true, run: focus }])
  return (
    <div ref={part}>
      <GuardedForm>
        <ChanceForm {...props} />
      </GuardedForm>
    </div>
  )
}

type PlanMenuProps = Pick<RollInStageProps, 'place' | 'stage' | 'chance'> & { readonly name: string }

/** Offers to let the chance change by itself. */
function PlanMenu(roll: PlanMenuProps) {
  const [planned, setPlanned] = useState<'steps' | 'once'>()
  const { menu, inSteps, setLater } = proposalLabels.rampForm
  useCommands([
    { id: 'plan-steps', label: inSteps, icon: IconRoll, run: () => setPlanned('steps') },
    { id: 'plan-once', label: setLater, icon: IconTime, run: () => setPlanned('once') },
  ])
  return (
    <>
      <Menu withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button variant="default" rightSection={<IconDown size={14} />}>
            {menu}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setPlanned('steps')}>{inSteps}</Menu.Item>
          <Menu.Item onClick={() => setPlanned('once')}>{setLater}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <RampDrawer {...roll} planned={planned} onClose={() => setPlanned(undefined)} />
    </>
  )
}

const msPerDay = 86_400_000

interface DoneNoticeProps {
  readonly roll: PlacedRoll
  readonly sides: Sides | undefined
}

/** Says what to do with a roll that has given everyone the same side for long, in every stage. */
function DoneNotice({ roll, sides }: DoneNoticeProps) {
  const nowMs = useNow()
  const { settled } = roll
  if (!settled || !isDone(roll, nowMs)) return null
  const days = Math.floor((nowMs - settled.sinceMs) / msPerDay)
  return (
    <Notice kind="info" title={labels.done.title(settled.side, days)}>
      {labels.done.text(settled.side, sides, roll.name)}
    </Notice>
  )
}

interface ValuesPanelProps {
  readonly place: StageSlugs
  readonly stage: Stage
  readonly variable: Digested
}

function ValuesPanel({ place, stage, variable }: ValuesPanelProps) {
  const values = useKnownValues(place, variable.name, variable)
  return (
    // The page does not change the values, the visibility or the description.
    <Panel title={words.values} actions={<OpenVariable place={place} name={variable.name} />}>
      <StoredValues place={place} stage={stage.name} variable={variable} values={values} />
    </Panel>
  )
}

interface OpenVariableProps {
  readonly place: StageSlugs
  readonly name: string
}

function OpenVariable({ place: { projectSlug, stageSlug }, name }: OpenVariableProps) {
  return (
    <ButtonLink
      variant="default"
      from="/o/$orgSlug"
      to="./p/$projectSlug"
      params={{ projectSlug }}
      search={{ variable: name, stage: stageSlug }}
    >
      {words.openVariable}
    </ButtonLink>
  )
}

interface UsePanelProps {
  readonly place: StageSlugs
  readonly variable: Digested
  /** For whom the person tries it. */
  readonly tried: TryInput
}

/** Shows how programs read the roll, as the person tries it. */
function UsePanel({ place, variable, tried }: UsePanelProps) {
  const { publicUrl } = useSettings()
  const { orgSlug } = useScope()
  return (
    <Panel title={words.use}>
      <CodeSnippet
        what={words.useWhat(variable.name)}
        code={snippetsOf(variable, { ...place, publicUrl, orgSlug }, askedOf(tried))}
      />
    </Panel>
  )
}
