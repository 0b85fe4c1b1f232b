import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { Group, Text, TextInput } from '@mantine/core'
import { isRandom } from '@rollkey/contract/rules'
import { useState } from 'react'
import { ButtonLink } from '../../ui/button-link.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { useScope } from '../../session/use-scope.ts'
import { projectsQuery } from '../projects/queries.ts'
import { digestsQuery, type Place } from '../variables/queries.ts'
import { VariableFacts } from '../variables/editor/variable-facts.tsx'
import { Section } from '../../ui/section.tsx'
import { ChanceForm } from '../variables/editor/chance-form.tsx'
import { CountsSection } from './counts-section.tsx'
import { chanceSentence } from './chance.ts'
import { choiceSentence, unitOf } from './bucket.ts'
import classes from './bucket-strip.module.css'

/** A roll of a stage: its chance, what it does for a user, and what came of it. */
export function RollPage() {
  const { projectSlug } = useParams({ from: '/signed-in/o/$orgSlug/p/$projectSlug/roll' })
  const { stage: stageSlug = '', name = '' } = useSearch({ from: '/signed-in/o/$orgSlug/p/$projectSlug/roll' })
  const place = { projectSlug, stageSlug }
  const scope = useScope()
  const projects = useQuery(projectsQuery(scope))
  const project = projects.data?.find((each) => each.projectSlug === projectSlug)
  const stage = project?.stages.find((each) => each.stageSlug === stageSlug)
  const contents = useQuery({ ...digestsQuery(scope, place), enabled: stage !== undefined })
  const variable = contents.data?.variables.find((each) => each.name === name)
  if (!projects.data || (stage && !contents.data)) {
    const error = projects.error ?? contents.error
    return <Page title={name}>{error ? <ErrorNotice error={error} /> : <Loading />}</Page>
  }
  if (!stage || !contents.data || variable?.chance === undefined) {
    return (
      <Page
        title="There is no such roll"
        lead={`The stage ${stageSlug} of the project ${projectSlug} has no A/B roll ${name}.`}
      >
        <ButtonLink from="/o/$orgSlug" to="./projects">
          See the projects
        </ButtonLink>
      </Page>
    )
  }
  return (
    <Page
      title={name}
      lead={
        <>
          In{' '}
          <TextLink from="/o/$orgSlug" to="./p/$projectSlug" params={{ projectSlug }}>
            {project?.name}
          </TextLink>
        </>
      }
    >
      <VariableFacts variable={variable} stage={stage} />
      <ChanceSection place={place} name={name} chance={variable.chance} revision={contents.data.revision} />
      <TrySection name={name} chance={variable.chance} />
      <CountsSection place={place} name={name} />
    </Page>
  )
}

interface ChanceSectionProps {
  readonly place: Place
  readonly name: string
  readonly chance: number
  readonly revision: number
}

function ChanceSection(props: ChanceSectionProps) {
  return (
    <Section title="Chance">
      <ChanceForm {...props} />
      <Text size="sm" c="dimmed">
        Go up step by step: with a seed or key, whoever got A keeps it, and some of those with B join them. Evaluations
        without both draw anew each time.
      </Text>
    </Section>
  )
}

interface TrySectionProps {
  readonly name: string
  readonly chance: number
}

/** Which value somebody gets. What is typed stays on the page. */
function TrySection({ name, chance }: TrySectionProps) {
  const [seed, setSeed] = useState('')
  const [key, setKey] = useState('')
  const isDrawn = isRandom({ seed, key })
  const unit = unitOf(name, seed, key)
  const plain = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false }
  return (
    <Section title="Who gets what">
      <Text size="sm" c="dimmed">
        Computed on this page as the service does it: nothing is sent, counted or billed.
      </Text>
      <Group grow preventGrowOverflow={false} align="flex-start">
        <TextInput
          {...plain}
          label="Seed"
          description="Such as the id of a user"
          value={seed}
          onChange={(event) => setSeed(event.currentTarget.value)}
        />
        <TextInput
          {...plain}
          label="Key"
          description="Such as the name of an experiment"
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
        />
      </Group>
      <Text role="status">
        {isDrawn
          ? `Without seed and key, each evaluation draws anew. ${chanceSentence(chance, 'evaluations')}`
          : choiceSentence(unit, chance)}
      </Text>
      {!isDrawn && <BucketStrip unit={unit} chance={chance} />}
    </Section>
  )
}

interface BucketStripProps {
  readonly unit: number
  readonly chance: number
}

/** Where a bucket lies between 0 and 1. A sentence beside it says the same. */
function BucketStrip({ unit, chance }: BucketStripProps) {
  return (
    <div aria-hidden>
      <div className={classes['strip']}>
        <div className={classes['a']} style={{ width: `${chance * 100}%` }} />
        <div className={classes['bucket']} style={{ insetInlineStart: `${unit * 100}%` }} />
      </div>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          0{chance > 0 && ' · A'}
        </Text>
        <Text size="sm" c="dimmed">
          {chance < 1 && 'B · '}1
        </Text>
      </Group>
    </div>
  )
}
