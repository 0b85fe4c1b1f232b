import { Box, Button, Stack, Switch, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { limits } from '@rollkey/contract/rules'
import { useId, useMemo, useState } from 'react'
import { useCommands } from '../../../ui/commands.ts'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { FormDrawer } from '../../../ui/form-drawer.tsx'
import { FormFooter } from '../../../ui/form-footer.tsx'
import { IconPaste } from '../../../ui/icons.ts'
import { Loading } from '../../../ui/loading.tsx'
import { Name } from '../../../ui/name.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { useUnsaved } from '../../../ui/use-unsaved.ts'
import { useChanges } from '../../changes/changes-context.ts'
import type { Project } from '../../projects/queries.ts'
import { nameProblem } from '../editor/draft.ts'
import { StageChoice } from '../editor/variable-inputs.tsx'
import { useStageContents } from '../use-stage-contents.ts'
import { EnvEditor } from './env-editor.tsx'
import classes from './env-editor.module.css'
import { labels } from './labels.ts'
import { pasted, type LineProblem, type PastedName, type PasteTarget } from './paste.ts'

interface PasteButtonProps {
  readonly project: Project
}

export function PasteButton({ project }: PasteButtonProps) {
  const [isOpen, { open, close }] = useDisclosure()
  useCommands([{ id: `paste ${project.projectSlug}`, label: labels.open, icon: IconPaste, run: open }])
  return (
    <>
      <Button size="sm" variant="default" leftSection={<IconPaste />} onClick={open}>
        {labels.open}
      </Button>
      <FormDrawer opened={isOpen} onClose={close} title={labels.title}>
        <Paste project={project} onDone={close} />
      </FormDrawer>
    </>
  )
}

interface PasteProps {
  readonly project: Project
  readonly onDone: () => void
}

function Paste({ project, onDone }: PasteProps) {
  const { stages, error } = useStageContents(project)
  if (!stages) return error ? <ErrorNotice error={error} /> : <Loading />
  return <PasteForm project={project} stages={stages} onDone={onDone} />
}

interface PasteFormProps extends PasteProps {
  readonly stages: NonNullable<ReturnType<typeof useStageContents>['stages']>
}

/** A text, what is wrong with it, and what it does to the chosen stages. */
function PasteForm({ project, stages, onDone }: PasteFormProps) {
  const [slugs, setSlugs] = useState<readonly string[]>(stages.slice(0, 1).map(({ stage }) => stage.stageSlug))
  const [text, setText] = useState('')
  const [allowsAnyName, setAllowsAnyName] = useState(false)
  const { add, review } = useChanges()
  const targets = stages.filter(({ stage }) => slugs.includes(stage.stageSlug))
  const { names, changes, problems } = useMemo(
    () => pasted(text, targets, allowsAnyName),
    [text, targets, allowsAnyName],
  )
  const isUnusual = names.some(({ name }) => nameProblem(name, false) !== null)
  useUnsaved(text !== '')
  const showChanges = (): void => {
    onDone()
    add(changes)
    review()
  }
  return (
    <Stack>
      {stages.length > 1 && (
        <StageChoice projectSlug={project.projectSlug} stages={stages} chosen={slugs} saved={[]} onChange={setSlugs} />
      )}
      <EnvEditor value={text} onChange={setText} problems={problems} />
      <Problems problems={problems} />
      {isUnusual && (
        <Switch
          label={labels.anyName}
          checked={allowsAnyName}
          onChange={(event) => setAllowsAnyName(event.currentTarget.checked)}
        />
      )}
      {names.length > limits.entries && <Notice kind="error">{labels.tooMany}</Notice>}
      {names.length > 0 && <Preview names={names} targets={targets} />}
      <Text size="sm" c="dimmed">
        {labels.kept}
      </Text>
      <FormFooter>
        <Button disabled={changes.length === 0} onClick={showChanges}>
          {labels.review(changes.length)}
        </Button>
      </FormFooter>
    </Stack>
  )
}

interface ProblemsProps {
  readonly problems: readonly LineProblem[]
}

function Problems({ problems }: ProblemsProps) {
  return (
    <div role="status">
      {problems.length > 0 && (
        <Notice kind="warning" title={labels.lines(problems.length)}>
          <Stack component="ul" className="plain-list wrapping" gap={2}>
            {problems.map(({ line, text }) => (
              <li key={line}>{labels.line(line, text)}</li>
            ))}
          </Stack>
        </Notice>
      )}
    </div>
  )
}

interface PreviewProps {
  readonly names: readonly PastedName[]
  readonly targets: readonly PasteTarget[]
}

function Preview({ names, targets }: PreviewProps) {
  const id = useId()
  const counts = targets.map(({ stage }, at) => {
    const created = names.filter(({ effects }) => effects[at] === 'new').length
    return labels.counts(created, names.length - created, stage.name)
  })
  return (
    <Stack gap={4}>
      <Title id={id} order={3} size="h4">
        {labels.preview}
      </Title>
      <Text size="sm" c="dimmed" role="status">
        {counts.join(' · ')}
      </Text>
      {/* It scrolls where it is long. */}
      <Box component="ul" className={classes['preview']} aria-labelledby={id} tabIndex={0}>
        {names.map(({ name, effects }) => (
          <li key={name} className={classes['item']}>
            <Name>{name}</Name>
            <Text size="sm" c="dimmed">
              {[...new Set(effects)].map((effect) => labels.effects[effect]).join(' · ')}
            </Text>
          </li>
        ))}
      </Box>
    </Stack>
  )
}
